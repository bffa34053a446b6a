// Labelled text made ready to train on: words with ids, labels with numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"
#include "text/vectors.h"

namespace skim::train {

struct Item {
  std::vector<std::int32_t> words;  // at least one: an empty text is one unknown word
  std::int64_t label = 0;
  std::vector<float> taught;  // what a teacher holds of each label; empty without one
};

struct Vocabulary {
  std::vector<std::string> words;  // words[0] stands for unknown ones
  std::int64_t width = 0;
  std::vector<float> vectors;  // words.size() x width
  std::vector<char> known;     // whether the vector came from the file
  std::size_t frequent = 0;    // how many, from the first on, occur often enough to be tuned
};

struct VocabularyOptions {
  std::size_t most = 60'000;
  std::size_t fewest = 2;      // a word without a vector must occur so often
  std::size_t tuned_from = 1;  // a word must occur so often for its vector to be tuned
  std::int64_t width = 100;    // when there is no file of vectors
  std::uint64_t seed = 1;
};

// The words of `data`, most frequent first, and then those of the vectors' file up to the limit:
// texts read later hold words that these did not. Words without a vector get small random values.
Vocabulary make_vocabulary(const Dataset& data, Tokenizer tokenizer, const WordVectors* vectors,
                           const VocabularyOptions& options);

// `most_words` of each text, from its beginning.
Result<std::vector<Item>> encode_items(const Dataset& data, const Vocabulary& vocabulary,
                                       Tokenizer tokenizer, std::span<const std::string> labels,
                                       std::size_t most_words);

// Takes a share of `data` out of it, evenly spread over it, for want of a dev file.
Dataset split_off(Dataset& data, double share, std::uint64_t seed);

}  // namespace skim::train
