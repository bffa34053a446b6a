// Whether bytes are text.
#pragma once

#include <cstddef>
#include <string_view>

namespace skim {

// True for well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view bytes);

// How many bytes the character at the start of `bytes` (not empty) has; 0 when none begins there.
std::size_t character_length(std::string_view bytes);

}  // namespace skim
