// Pieces of training texts, for a teacher to label: what a few words of a text say teaches a reader
// which words matter, and a labelled text does not tell.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skim/spec.h"
#include "tasks/example.h"

namespace skim::train {

struct PieceOptions {
  std::size_t of_each = 0;  // how many pieces of a text
  std::size_t most_words = 0;
  std::uint64_t seed = 1;
};

// Runs of words from anywhere in the texts; a text of few words gives none. They keep the label of
// their text, which need not be theirs.
Dataset cut_pieces(const Dataset& texts, Tokenizer tokenizer, const PieceOptions& options);

}  // namespace skim::train
