// A model file read by the trainer's own nets, to hold against what the runtime reads in it.
// Without torch, for who links both.
#pragma once

#include <vector>

#include "file/model_file.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim::train {

// What the trainer answers and how it reads, one a query. Weights must be f32: the trainer knows no
// others.
Result<std::vector<Probe>> replay(const ModelFile& file, const std::vector<Query>& queries,
                                  Policy policy);

}  // namespace skim::train
