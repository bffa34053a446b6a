// Normalization of words for vocabulary look-up. For the english and the whitespace tokenizer:
// lower case, U+2019 as an apostrophe, invalid UTF-8 as U+FFFD. For the unicode tokenizer: see
// case_folder.h.
#pragma once

#include <string>
#include <string_view>

#include "skim/spec.h"
#include "text/unicode.h"

namespace skim {

inline char32_t normalize(char32_t code) {
  return code == kTypographicApostrophe ? U'\'' : to_lower(code);
}

// Idempotent. The length in bytes may change.
std::string normalize(std::string_view word, TokenizerKind tokenizer);

}  // namespace skim
