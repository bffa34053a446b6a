// Pieces of a text as runs of its words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "skim/query.h"
#include "tasks/example.h"

namespace skim {

struct WordSpan {
  std::size_t first = 0;
  std::size_t last = 0;  // belongs to the span
  bool exact = false;    // it starts and ends where the piece does
  bool operator==(const WordSpan&) const = default;
};

// The words that share a byte with `piece`, bytes [begin, end) of the text; nothing when none does.
// `words` rise and do not overlap, as the tokenizer gives them.
std::optional<WordSpan> words_over(std::span<const Word> words, Word piece);

// The words of an answer; nothing when it does not stand in the text.
std::optional<WordSpan> words_over(std::span<const Word> words, const GoldAnswer& answer);

}  // namespace skim
