#include "tasks/word_range.h"

#include <algorithm>
#include <string>

namespace skim {

std::optional<WordRange> find_word_range(std::span<const TokenSpan> words, TokenSpan span) {
  if (span.begin >= span.end) return std::nullopt;
  const auto first = std::partition_point(
      words.begin(), words.end(), [&](const TokenSpan& word) { return word.end <= span.begin; });
  const auto end = std::partition_point(
      first, words.end(), [&](const TokenSpan& word) { return word.begin < span.end; });
  if (first == end) return std::nullopt;
  const auto last = end - 1;
  return WordRange{static_cast<std::size_t>(first - words.begin()),
                   static_cast<std::size_t>(last - words.begin()),
                   first->begin == span.begin && last->end == span.end};
}

std::optional<WordRange> find_word_range(std::span<const TokenSpan> words,
                                         const GoldAnswer& answer) {
  if (answer.begin == std::string::npos) return std::nullopt;
  return find_word_range(words, TokenSpan{answer.begin, answer.begin + answer.text.size()});
}

}  // namespace skim
