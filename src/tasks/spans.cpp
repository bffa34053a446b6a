#include "tasks/spans.h"

#include <algorithm>
#include <string>

namespace skim {

std::optional<WordSpan> words_over(std::span<const Word> words, Word piece) {
  if (piece.begin >= piece.end) return std::nullopt;
  const auto first = std::partition_point(
      words.begin(), words.end(), [&](const Word& word) { return word.end <= piece.begin; });
  const auto behind = std::partition_point(
      first, words.end(), [&](const Word& word) { return word.begin < piece.end; });
  if (first == behind) return std::nullopt;
  const auto last = behind - 1;
  return WordSpan{static_cast<std::size_t>(first - words.begin()),
                  static_cast<std::size_t>(last - words.begin()),
                  first->begin == piece.begin && last->end == piece.end};
}

std::optional<WordSpan> words_over(std::span<const Word> words, const GoldAnswer& answer) {
  if (answer.begin == std::string::npos) return std::nullopt;
  return words_over(words, Word{answer.begin, answer.begin + answer.text.size()});
}

}  // namespace skim
