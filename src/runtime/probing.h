// Stored questions: what a model answers now, in the form in which a file keeps it.
#pragma once

#include "file/model_file.h"
#include "skim/session.h"

namespace skim {

Result<Probe> asked(Session& session, const Query& query, const Policy& policy);

// The model that a file of this draft would load as; `name` stands for the file in messages.
Result<Model> loaded(const ModelDraft& draft, const std::string& name);

}  // namespace skim
