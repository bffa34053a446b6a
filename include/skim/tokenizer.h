// Tokenization: splits a text into words, as a model does before it reads.
#pragma once

#include <string_view>
#include <vector>

#include "skim/spec.h"
#include "skim/token_span.h"

namespace skim {

// Splits a text by the rules of a kind: `english` as GloVe does, `unicode` at the word boundaries
// of any language (Han, kana, Thai and other scripts without spaces by character), `whitespace` at
// white space only. The kind also determines the form in which words are looked up: in lower case,
// for `unicode` with full case folding, in which German ß and ss are equal, and Turkish I, ı, İ and
// i, too (docs/file-format.md).
//
// Stateless and cheap to copy. Model::tokenizer returns the tokenizer of a model; the words it
// yields are those that Session::push expects.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerKind kind) : kind_(kind) {}

  TokenizerKind kind() const { return kind_; }

  // Byte ranges of the words of `text`, in order. Takes linear time for arbitrary bytes; never
  // splits a UTF-8 character.
  std::vector<TokenSpan> tokenize(std::string_view text) const;
  // Overwrites `words`; allocates nothing when its capacity suffices.
  void tokenize(std::string_view text, std::vector<TokenSpan>& words) const;

 private:
  TokenizerKind kind_;
};

}  // namespace skim
