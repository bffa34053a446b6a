// Subwords: character n-grams of words, hashed to the rows of a table (docs/file-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skim/spec.h"

namespace skim {

// Finds the n-grams of one word at a time. Reuses its memory. Not thread-safe.
class SubwordHasher {
 public:
  // The tokenizer of the texts decides how words are normalized.
  SubwordHasher(const SubwordSpec& spec, TokenizerKind tokenizer)
      : spec_(spec), tokenizer_(tokenizer) {}

  // Takes a word of any case and any bytes. Returns its spelling: normalized, between '<' and '>'.
  // Valid until the next call.
  std::string_view set_word(std::string_view word);
  // The rows of the n-grams of that word, by start, then by length; a row may occur several times.
  // Empty for a word that is too short. Valid until the next call.
  std::span<const std::uint32_t> rows();

 private:
  SubwordSpec spec_;
  TokenizerKind tokenizer_;
  std::string folded_;  // the word of a unicode tokenizer, normalized
  std::string spelling_;
  std::vector<std::size_t> begins_;  // of the code points of spelling_, and its end
  std::vector<std::uint32_t> rows_;
};

// Sums rows of a table, in their order, and adds their mean to a vector. `lookup(row, out)` writes
// `size` floats; `scratch` holds 2 * size floats.
template <class Lookup>
void add_mean_row(std::span<const std::uint32_t> rows, std::size_t size, Lookup lookup,
                  float* scratch, float* vector) {
  if (rows.empty()) return;
  float* sum = scratch + size;
  for (std::size_t i = 0; i < size; ++i) sum[i] = 0;
  for (const std::uint32_t row : rows) {
    lookup(row, scratch);
    for (std::size_t i = 0; i < size; ++i) sum[i] += scratch[i];
  }
  const float share = 1.0F / static_cast<float>(rows.size());
  for (std::size_t i = 0; i < size; ++i) vector[i] += sum[i] * share;
}

}  // namespace skim
