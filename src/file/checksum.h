// The two checksums of a model file: XXH3-64 with seed 0.
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

// Checksum of the concatenated chunks.
std::uint64_t compute_checksum(std::span<const std::span<const std::byte>> chunks);

// To and from 16 lower-case hex digits; nullopt for any other text.
std::string checksum_to_hex(std::uint64_t checksum);
std::optional<std::uint64_t> checksum_from_hex(std::string_view digits);

// The checksum of a header covers the length field and the header, with its own digits as zeros.
// The metadata in `header` (length field included) must contain `"checksum":"<16 digits>"`.

// Writes the checksum into its digits; false when they are not found.
bool write_header_checksum(std::span<std::byte> header);
// Detects any changed byte of `header`.
Result<void> check_header_checksum(std::span<const std::byte> header, const std::string& name);

}  // namespace skim
