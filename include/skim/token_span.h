// A range of bytes of a text.
#pragma once

#include <cstddef>

namespace skim {

// Bytes [begin, end) of a text or question: a token, or a span of tokens.
struct TokenSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const TokenSpan&) const = default;
};

}  // namespace skim
