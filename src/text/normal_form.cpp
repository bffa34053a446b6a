#include "text/normal_form.h"

#include "text/characters.h"

namespace skim {

std::string normal_form(std::string_view word) {
  std::string normal;
  normal.reserve(word.size());
  for (std::size_t at = 0; at < word.size();) {
    const Character next = character_at(word, at);
    char bytes[4];
    normal.append(bytes, encode_utf8(normal_form(next.code), bytes));
    at += next.length;
  }
  return normal;
}

}  // namespace skim
