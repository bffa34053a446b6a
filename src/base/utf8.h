// Whether bytes are text.
#pragma once

#include <string_view>

namespace skim {

// True for well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view bytes);

}  // namespace skim
