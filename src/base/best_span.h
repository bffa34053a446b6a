// The most likely piece of a text, given how likely each word is its first and its last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace skim {

// Longer answers are hardly ever right.
inline constexpr std::size_t kLongestAnswer = 30;

struct BestSpan {
  std::size_t first = 1;
  std::size_t last = 0;  // belongs to the span; before `first` when there is no word
  float score = 0;       // the product of both
};

// Of equally likely ones the earliest. Both lists have one entry a word.
inline BestSpan best_span(std::span<const float> first, std::span<const float> last,
                          std::size_t longest = kLongestAnswer) {
  BestSpan best;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::size_t end = std::min(first.size(), i + longest);
    for (std::size_t j = i; j < end; ++j) {
      const float score = first[i] * last[j];
      if (best.last >= best.first && score <= best.score) continue;
      best = {i, j, score};
    }
  }
  return best;
}

}  // namespace skim
