// Character classes and lower case for the tokenizer and the vocabulary.
#pragma once

namespace skim {

enum class CharClass {
  space,   // the White_Space property
  letter,  // letters, digits and all that is in no other class
  extend,  // joins the character before it: combining marks, variation selectors, joiners
  glyph,   // a word by itself: Han, Hiragana, Katakana, Bopomofo
  symbol,  // a word by itself: punctuation, currency, emoji, controls, U+FFFD
};

// ASCII digits are letters here, ASCII punctuation and controls are symbols.
CharClass classify(char32_t code);

// Simple case mapping of single code points: Latin, Greek, Cyrillic, Armenian, full-width Latin.
// Other code points are returned unchanged.
char32_t to_lower(char32_t code);

inline constexpr char32_t kTypographicApostrophe = 0x2019;
inline constexpr char32_t kZeroWidthJoiner = 0x200D;

inline bool is_regional_indicator(char32_t code) { return code >= 0x1F1E6 && code <= 0x1F1FF; }
// Arrows, dingbats, emoji and similar characters that a zero width joiner may join to an emoji.
inline bool is_pictograph(char32_t code) {
  return (code >= 0x2190 && code <= 0x2BFF) || (code >= 0x1F000 && code <= 0x1FAFF);
}

}  // namespace skim
