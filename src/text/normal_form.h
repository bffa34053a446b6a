// The form in which words are looked up: lower case, U+2019 as an apostrophe, bytes that are not
// UTF-8 as U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "text/unicode.h"

namespace skim {

inline char32_t normal_form(char32_t code) {
  return code == kTypographicApostrophe ? U'\'' : to_lower(code);
}

// The normal form of a normal form is itself. The length in bytes may change.
std::string normal_form(std::string_view word);

}  // namespace skim
