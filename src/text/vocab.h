// Words and their ids. Look-up is in lower case; id 0 is the unknown word.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

using WordId = std::uint32_t;
inline constexpr WordId kUnknown = 0;

class Vocab {
 public:
  Vocab() = default;
  // `words[i]` gets id i; they must be unique, and words[0] is the unknown word's entry (its
  // spelling is never matched). The views must outlive the vocabulary.
  static Result<Vocab> create(std::span<const std::string_view> words);

  std::size_t size() const;
  std::string_view word(WordId id) const;
  // `word` is taken as it stands in a text: any case, any bytes. Invalid UTF-8 counts as U+FFFD.
  WordId find(std::string_view word) const;

 private:
  // (implementation's choice)
};

// Text to words and ids in one go: the fast path of every reading. Both vectors are overwritten,
// equally long.
void encode(std::string_view text, Tokenizer kind, const Vocab& vocab, std::vector<Word>& words,
            std::vector<WordId>& ids);

}  // namespace skim
