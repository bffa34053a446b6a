// The most likely span of words, given start and end probabilities.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace skim {

// Longer answers are hardly ever correct.
inline constexpr std::size_t kMaxAnswerWords = 30;

// Words [first, last] of a text.
struct BestSpan {
  std::size_t first = 1;
  std::size_t last = 0;  // inclusive; less than `first` when the text has no words
  float score = 0;       // the product of both probabilities
};

// The span of at most `max_words` words with the highest score; the first of several. Both lists
// have one probability per word.
inline BestSpan best_span(std::span<const float> start_probs, std::span<const float> end_probs,
                          std::size_t max_words = kMaxAnswerWords) {
  BestSpan best;
  for (std::size_t i = 0; i < start_probs.size(); ++i) {
    const std::size_t end = std::min(start_probs.size(), i + max_words);
    for (std::size_t j = i; j < end; ++j) {
      const float score = start_probs[i] * end_probs[j];
      if (best.last >= best.first && score <= best.score) continue;
      best = {i, j, score};
    }
  }
  return best;
}

}  // namespace skim
