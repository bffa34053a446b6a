#include "text/fold.h"

#include "text/utf8.h"

namespace skim {

std::string fold(std::string_view word) {
  std::string folded;
  folded.reserve(word.size());
  for (std::size_t at = 0; at < word.size();) {
    const Character next = decode(word, at);
    char bytes[4];
    folded.append(bytes, encode_utf8(fold(next.code), bytes));
    at += next.length;
  }
  return folded;
}

}  // namespace skim
