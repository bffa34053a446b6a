// The targets of a batch other than one label per text: sets of labels, numbers and weights.
#pragma once

#include <vector>

#include "train/batch.h"

namespace skim::train {

// Sets label_sets, values and text_weights of a packed batch, as far as its items have them.
void add_targets(const std::vector<Item>& items, Batch& batch);

}  // namespace skim::train
