// The trainable nets; src/nets has their inference.
#pragma once

#include "train/nets/layers.h"

namespace skim::train {

// The forward pass of the net that the spec names.
NetOutput run_net(const NetInput& in);

// The forward pass of each kind; run_net chooses.
NetOutput classifier_forward(const NetInput& in);
NetOutput cloze_forward(const NetInput& in);
NetOutput span_forward(const NetInput& in);
NetOutput bidaf_forward(const NetInput& in);

// The number of right answers in a batch; of extractive nets the sum of F1 over words. `items` are
// those that the batch was made of.
double num_correct(const ModelSpec& spec, const NetOutput& out, const Batch& batch,
                   const std::vector<Item>& items);

}  // namespace skim::train
