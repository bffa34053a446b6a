#include "interchange/protobuf.h"

#include <bit>

namespace skim {
namespace {

enum class WireType : std::uint64_t { varint = 0, length_delimited = 2, fixed32 = 5 };

std::uint64_t tag(int field, WireType wire) {
  return static_cast<std::uint64_t>(field) << 3U | static_cast<std::uint64_t>(wire);
}

}  // namespace

// Varint: seven bits per byte, lowest first; the top bit marks continuation.
void Message::put_varint(std::uint64_t number) {
  for (; number > 0x7FU; number >>= 7U) bytes_ += static_cast<char>((number & 0x7FU) | 0x80U);
  bytes_ += static_cast<char>(number);
}

Message& Message::add(int field, std::int64_t value) {
  put_varint(tag(field, WireType::varint));
  put_varint(static_cast<std::uint64_t>(value));
  return *this;
}

Message& Message::add(int field, float value) {
  put_varint(tag(field, WireType::fixed32));
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes_ += static_cast<char>(bits >> shift & 0xFFU);
  return *this;
}

Message& Message::add(int field, std::string_view bytes) {
  put_varint(tag(field, WireType::length_delimited));
  put_varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

}  // namespace skim
