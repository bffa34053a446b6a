// Reads a model file with the trainer's nets, to compare with the runtime. Includes no torch.
#pragma once

#include <vector>

#include "file/model_file.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim::train {

// The trainer's answers and traces, one per query. The weights must be f32.
Result<std::vector<Probe>> replay(const ModelFile& file, const std::vector<Query>& queries,
                                  Policy policy);

}  // namespace skim::train
