// The configuration of a training run as JSON: everything that decides which model comes out. Model
// files carry it; checkpoints and the processes of a group compare it.
#pragma once

#include "base/json.h"
#include "train/options.h"

namespace skim::train {

// The stored options of the table, by checkpoint_key().
Json options_json(const Job& job);

// Whether a checkpoint of a run with the configuration `stored` may continue as a run with
// `current`: equal but for options that --resume may change.
bool can_resume(Json stored, Json current);

// Whether both are configurations of one training that ended differently: equal but for options
// that a resumed run may change in some cases.
bool is_same_training(Json stored, Json current);

}  // namespace skim::train
