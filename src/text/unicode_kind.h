// Kinds of characters for the unicode tokenizer, from the properties of utf8proc.
#pragma once

#include <cstdint>

namespace skim {

enum class UnicodeKind : std::uint8_t {
  space,   // the White_Space property
  letter,  // letters and numbers of scripts that put spaces between words
  digit,   // decimal digits of any script
  extend,  // joins the character before it: marks, variation selectors, invisible format characters
  unspaced,  // letters of scripts without spaces between words, such as Han, kana and Thai
  symbol,    // a word by itself: punctuation, symbols, emoji, controls, U+FFFD
};

UnicodeKind unicode_kind(char32_t code);

// Whether a word that extends to a character of this kind continues with it.
inline bool continues_word(UnicodeKind kind) {
  return kind == UnicodeKind::letter || kind == UnicodeKind::digit || kind == UnicodeKind::extend;
}

// Decides where a grapheme cluster ends. Call breaks_before with the characters after `first`, in
// order, until it is true.
class GraphemeCluster {
 public:
  explicit GraphemeCluster(char32_t first) : last_(first) {}
  // Whether the cluster ends before `next`. Characters of kind `extend` never end it, as opposed to
  // UAX #29, so that a cluster and the extending characters after it are one word.
  bool breaks_before(char32_t next);

 private:
  char32_t last_;
  std::int32_t state_ = 0;
};

}  // namespace skim
