// Maps byte spans of a text to ranges of words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "skim/query.h"
#include "tasks/example.h"

namespace skim {

struct WordRange {
  std::size_t first = 0;
  std::size_t last = 0;  // inclusive
  bool exact = false;    // the words start and end where the span does
  bool operator==(const WordRange&) const = default;
};

// Returns the words that overlap `span`, or nothing when none does. `words` are sorted and
// disjoint, as the tokenizer produces them.
std::optional<WordRange> find_word_range(std::span<const TokenSpan> words, TokenSpan span);

// Returns the words of an answer, or nothing when it does not occur in the text.
std::optional<WordRange> find_word_range(std::span<const TokenSpan> words,
                                         const GoldAnswer& answer);

}  // namespace skim
