// What must hold for any bytes; shared by the tests and the fuzzers.
#pragma once

#include <string_view>
#include <vector>

#include "text/characters.h"
#include "text/tokenizer.h"
#include "text/unicode.h"
#include "text/vocab.h"

namespace skim {

// The law that the words of `text` break, or nullptr.
inline const char* broken_law(std::string_view text, const std::vector<Word>& words) {
  std::size_t next = 0;  // of the words
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (!inside && next < words.size() && words[next].begin == at) inside = true;
    const bool space = class_of(character.code) == CharClass::space;
    if (space == inside) return space ? "white space in a word" : "a character in no word";
    at += character.length;
    if (!inside) continue;
    const Word word = words[next];
    if (word.end <= word.begin) return "an empty word";
    if (word.end < at) return "a word that ends inside a character";
    if (word.end == at) {
      inside = false;
      ++next;
    }
  }
  if (inside) return "a word past the end of the text";
  return next == words.size() ? nullptr : "a word that begins in an odd place";
}

// Checks tokenize and encode with both tokenizers.
inline const char* broken_law(std::string_view text, const Vocab& vocab) {
  for (const Tokenizer kind : {Tokenizer::english, Tokenizer::whitespace}) {
    std::vector<Word> words;
    tokenize(text, kind, words);
    if (const char* law = broken_law(text, words)) return law;
    std::vector<Word> encoded;
    std::vector<WordId> ids;
    encode(text, kind, vocab, encoded, ids);
    if (encoded != words || ids.size() != words.size()) return "encode cuts otherwise";
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Word word = words[i];
      if (ids[i] != vocab.find(text.substr(word.begin, word.end - word.begin))) {
        return "encode looks up otherwise";
      }
    }
  }
  return nullptr;
}

}  // namespace skim
