// The character n-grams of all words of a training: those of the vocabulary and the unknown ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "skim/spec.h"
#include "text/subwords.h"

namespace skim::train {

// Words of the vocabulary have their ids; unknown words get ids from its size upward, as in the
// runtime. Word 0 stands for words without n-grams.
class SubwordIndex {
 public:
  SubwordIndex(const SubwordSpec& spec, const std::vector<std::string>& vocabulary,
               TokenizerKind tokenizer);

  const SubwordSpec& spec() const { return spec_; }
  std::size_t vocab_size() const { return vocab_size_; }
  // The id of a word that is not in the vocabulary.
  std::int32_t add_unknown(std::string_view word);
  // The rows of the n-grams of a word in the table, with repetitions; none for word 0.
  std::span<const std::uint32_t> rows(std::int32_t word) const {
    const auto at = static_cast<std::size_t>(word);
    return std::span(rows_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
  }

 private:
  void append(std::span<const std::uint32_t> rows);

  SubwordSpec spec_;
  std::size_t vocab_size_;
  SubwordHasher hasher_;
  std::vector<std::size_t> begins_ = {0};  // of each word in rows_, and the end
  std::vector<std::uint32_t> rows_;
  std::unordered_map<std::string, std::int32_t> unknown_;  // by spelling
};

}  // namespace skim::train
