#include "spec/temperature.h"

#include <algorithm>
#include <cmath>

namespace skim {

// The logarithms of the scores are logits, up to a constant that softmax ignores.
void sharpen_scores(std::span<float> scores, double ratio) {
  if (ratio == 1 || scores.empty()) return;
  const double highest = *std::max_element(scores.begin(), scores.end());
  const auto power = [&](float score) {
    return std::pow(static_cast<double>(score) / highest, ratio);
  };
  double sum = 0;
  for (const float score : scores) sum += power(score);
  for (float& score : scores) score = static_cast<float>(power(score) / sum);
}

}  // namespace skim
