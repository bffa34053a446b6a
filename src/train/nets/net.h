// The trainable twins of src/nets.
#pragma once

#include "train/nets/layers.h"

namespace skim::train {

// Scores of a batch, by the net that the spec names.
NetOutput run_net(const NetInput& in);

// One for each kind.
NetOutput classify(const NetInput& in);
NetOutput fill_gaps(const NetInput& in);
NetOutput find_spans(const NetInput& in);
NetOutput flow_both_ways(const NetInput& in);

// How right each text of the batch was answered, from 0 to 1, added up. `items` are those the batch
// was made of.
double rightness(const ModelSpec& spec, const NetOutput& out, const Batch& batch,
                 const std::vector<Item>& items);

}  // namespace skim::train
