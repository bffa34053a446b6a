// The two checksums of a model file: 64-bit XXH3, seed 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "skim/result.h"

namespace skim {

inline constexpr std::size_t kChecksumDigits = 16;

// Of all pieces as if they stood one after the other.
std::uint64_t checksum_of(std::span<const std::span<const std::byte>> pieces);

// 16 lower-case hex digits, and back; nothing for any other text.
std::string checksum_text(std::uint64_t checksum);
std::optional<std::uint64_t> checksum_value(std::string_view digits);

// `head` is the start of a file: length field and header. Its metadata must hold
// `"checksum":"<16 digits>"`; the checksum is taken over all of `head` with the digits as zeros.
// Writes it into the digits; false when they are not found.
bool seal_head(std::span<std::byte> head);
// Any changed byte of `head` is an error.
Result<void> check_head(std::span<const std::byte> head, const std::string& name);

}  // namespace skim
