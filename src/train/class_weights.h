// Weights of classes (--class-weights).
#pragma once

#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "train/corpus.h"

namespace skim::train {

// One weight per label. `text` is a list of label=weight, where other labels have weight 1, or
// "balanced": then all labels count the same in the loss. Of one label per text that is
// n / (labels * texts with the label), as in scikit-learn; of a multi-label net, whose weights are
// those of the texts with the label, texts without it / texts with it.
Result<std::vector<float>> parse_class_weights(const std::string& text, const ModelSpec& spec,
                                               const std::vector<Item>& items);

// Multiplies the weight of each text by that of its label.
void apply_class_weights(const std::vector<float>& weights, std::vector<Item>& items);

}  // namespace skim::train
