// Temperature scaling of scores whose logits are not at hand.
#pragma once

#include <span>

namespace skim {

// Replaces scores, a softmax of some logits, by the softmax of `ratio` times those logits. Changes
// nothing when the ratio is 1.
void sharpen_scores(std::span<float> scores, double ratio);

}  // namespace skim
