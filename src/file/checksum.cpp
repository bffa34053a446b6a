#include "file/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>

namespace skim {
namespace {

constexpr std::string_view kKey = "\"checksum\":\"";
constexpr std::string_view kZeros = "0000000000000000";

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Offset of the digits. The key cannot occur inside a JSON string, where quotes are escaped.
std::optional<std::size_t> find_digits(std::string_view header) {
  const std::size_t key = header.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  const std::size_t digits = key + kKey.size();
  if (header.size() - digits <= kChecksumDigits) return std::nullopt;
  if (header[digits + kChecksumDigits] != '"') return std::nullopt;
  return digits;
}

std::uint64_t checksum_with_zeros(std::string_view header, std::size_t digits) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header.data(), digits);
  XXH3_64bits_update(&state, kZeros.data(), kZeros.size());
  const std::string_view rest = header.substr(digits + kChecksumDigits);
  XXH3_64bits_update(&state, rest.data(), rest.size());
  return XXH3_64bits_digest(&state);
}

}  // namespace

std::uint64_t compute_checksum(std::span<const std::span<const std::byte>> chunks) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const auto& chunk : chunks) XXH3_64bits_update(&state, chunk.data(), chunk.size());
  return XXH3_64bits_digest(&state);
}

std::string checksum_to_hex(std::uint64_t checksum) {
  std::string digits(kChecksumDigits, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, checksum >>= 4U) {
    *digit = "0123456789abcdef"[checksum & 0xFU];
  }
  return digits;
}

std::optional<std::uint64_t> checksum_from_hex(std::string_view digits) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  if (checksum_to_hex(value) != digits) return std::nullopt;
  return value;
}

bool write_header_checksum(std::span<std::byte> header) {
  const auto digits = find_digits(as_text(header));
  if (!digits) return false;
  const std::string checksum = checksum_to_hex(checksum_with_zeros(as_text(header), *digits));
  std::ranges::copy(std::as_bytes(std::span(checksum)),
                    header.begin() + static_cast<std::ptrdiff_t>(*digits));
  return true;
}

Result<void> check_header_checksum(std::span<const std::byte> header, const std::string& name) {
  const std::string_view text = as_text(header);
  const auto digits = find_digits(text);
  if (!digits) {
    return fail(Fault::format,
                name + ": not a skim model, or a damaged one: its header holds no checksum");
  }
  if (text.substr(*digits, kChecksumDigits) !=
      checksum_to_hex(checksum_with_zeros(text, *digits))) {
    return fail(Fault::format,
                name + ": damaged: the header does not match its checksum; get the file again");
  }
  return {};
}

}  // namespace skim
