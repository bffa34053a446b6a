#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace skim {
namespace {

struct Lead {
  std::size_t length = 0;  // 0: cannot start a character
  std::uint32_t bits = 0;
  std::uint32_t least = 0;  // a smaller value would be an overlong form
};

Lead lead_of(std::uint32_t byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {2, byte & 0x1F, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0F, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {4, byte & 0x07, 0x10000};
  return {};
}

}  // namespace

std::size_t character_length(std::string_view bytes) {
  const Lead lead = lead_of(static_cast<unsigned char>(bytes[0]));
  if (lead.length == 0 || lead.length > bytes.size()) return 0;
  std::uint32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if ((byte & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < lead.least || code > 0x10FFFF || surrogate ? 0 : lead.length;
}

bool is_utf8(std::string_view bytes) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  while (!bytes.empty()) {
    std::uint64_t eight = kHighBits;
    if (bytes.size() >= sizeof eight) std::memcpy(&eight, bytes.data(), sizeof eight);
    std::size_t length = sizeof eight;  // most text is ASCII: eight characters at once
    if ((eight & kHighBits) != 0) length = character_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace skim
