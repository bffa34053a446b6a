#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace skim {

std::size_t utf8_length(std::string_view bytes) {
  const CodePoint first = decode_utf8(bytes, 0);
  const bool ill_formed = first.code == kReplacementCharacter && !bytes.starts_with("\xEF\xBF\xBD");
  return ill_formed ? 0 : first.length;
}

bool is_utf8(std::string_view bytes) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  while (!bytes.empty()) {
    std::uint64_t eight = kHighBits;
    if (bytes.size() >= sizeof eight) std::memcpy(&eight, bytes.data(), sizeof eight);
    std::size_t length = sizeof eight;  // most text is ASCII: eight characters at once
    if ((eight & kHighBits) != 0) length = utf8_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace skim
