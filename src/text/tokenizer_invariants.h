// Invariants of tokenization for arbitrary bytes, shared by tests and fuzzers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "text/normalize.h"
#include "text/tokenizer.h"
#include "text/unicode.h"
#include "text/vocab.h"

namespace skim {

// The invariant that the words of `text` violate, or nullptr.
inline const char* violated_invariant(std::string_view text, const std::vector<TokenSpan>& words) {
  std::size_t next = 0;  // of the words
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint character = decode_utf8(text, at);
    if (!inside && next < words.size() && words[next].begin == at) inside = true;
    const bool space = classify(character.code) == CharClass::space;
    if (space == inside)
      return space ? "white space in a word" : "a character outside of all words";
    at += character.length;
    if (!inside) continue;
    const TokenSpan word = words[next];
    if (word.end <= word.begin) return "an empty word";
    if (word.end < at) return "a word that ends inside a character";
    if (word.end == at) {
      inside = false;
      ++next;
    }
  }
  if (inside) return "a word past the end of the text";
  return next == words.size() ? nullptr : "a word that begins at a wrong position";
}

inline constexpr TokenizerKind kTokenizerKinds[] = {TokenizerKind::english, TokenizerKind::unicode,
                                                    TokenizerKind::whitespace};

// The invariant of `normalize` that `word` violates, or nullptr.
inline const char* violated_normalization(std::string_view word, TokenizerKind kind) {
  const std::string normalized = normalize(word, kind);
  if (normalized.empty() != word.empty()) return "normalization empties a word";
  if (!is_utf8(normalized)) return "a normalized word is invalid UTF-8";
  return normalize(normalized, kind) == normalized ? nullptr : "normalization is not idempotent";
}

// Checks tokenize and encode with all tokenizers. `vocab` looks up words of any of them.
inline const char* violated_invariant(std::string_view text, const Vocab& vocab) {
  for (const TokenizerKind kind : kTokenizerKinds) {
    std::vector<TokenSpan> words;
    tokenize(text, kind, words);
    if (const char* violation = violated_invariant(text, words)) return violation;
    std::vector<TokenSpan> encoded;
    std::vector<WordId> ids;
    encode(text, kind, vocab, encoded, ids);
    if (encoded != words || ids.size() != words.size()) return "encode and tokenize differ";
    for (std::size_t i = 0; i < words.size(); ++i) {
      const TokenSpan word = words[i];
      if (ids[i] != vocab.find(text.substr(word.begin, word.end - word.begin))) {
        return "encode and find differ";
      }
    }
  }
  return nullptr;
}

}  // namespace skim
