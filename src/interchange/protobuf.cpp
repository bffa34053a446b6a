#include "interchange/protobuf.h"

#include <bit>

namespace skim {
namespace {

enum class Wire : std::uint64_t { number = 0, length = 2, four_bytes = 5 };

std::uint64_t tag(int field, Wire wire) {
  return static_cast<std::uint64_t>(field) << 3U | static_cast<std::uint64_t>(wire);
}

}  // namespace

// Seven bits a byte, the lowest first; the top bit says that more follow.
void Message::put(std::uint64_t number) {
  for (; number > 0x7FU; number >>= 7U) bytes_ += static_cast<char>((number & 0x7FU) | 0x80U);
  bytes_ += static_cast<char>(number);
}

Message& Message::add(int field, std::int64_t value) {
  put(tag(field, Wire::number));
  put(static_cast<std::uint64_t>(value));
  return *this;
}

Message& Message::add(int field, float value) {
  put(tag(field, Wire::four_bytes));
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes_ += static_cast<char>(bits >> shift & 0xFFU);
  return *this;
}

Message& Message::add(int field, std::string_view bytes) {
  put(tag(field, Wire::length));
  put(bytes.size());
  bytes_ += bytes;
  return *this;
}

}  // namespace skim
