// Probes: queries with the model's readings, stored in the file for verification.
#pragma once

#include "file/model_file.h"
#include "skim/session.h"

namespace skim {

// Reads `query` and records the result as a probe.
Result<Probe> make_probe(Session& session, const Query& query, const Policy& policy);

// Serializes `draft` and loads it, as if from a file; `name` replaces the path in error messages.
Result<Model> load_draft(const ModelDraft& draft, const std::string& name);

}  // namespace skim
