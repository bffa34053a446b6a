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

// Where the digits start. A quote inside a JSON string is always escaped, so the key cannot be
// found inside a value.
std::optional<std::size_t> find_digits(std::string_view head) {
  const std::size_t key = head.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  const std::size_t digits = key + kKey.size();
  if (head.size() - digits <= kChecksumDigits) return std::nullopt;
  if (head[digits + kChecksumDigits] != '"') return std::nullopt;
  return digits;
}

std::uint64_t checksum_without(std::string_view head, std::size_t digits) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, head.data(), digits);
  XXH3_64bits_update(&state, kZeros.data(), kZeros.size());
  const std::string_view rest = head.substr(digits + kChecksumDigits);
  XXH3_64bits_update(&state, rest.data(), rest.size());
  return XXH3_64bits_digest(&state);
}

}  // namespace

std::uint64_t checksum_of(std::span<const std::span<const std::byte>> pieces) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const auto& piece : pieces) XXH3_64bits_update(&state, piece.data(), piece.size());
  return XXH3_64bits_digest(&state);
}

std::string checksum_text(std::uint64_t checksum) {
  std::string digits(kChecksumDigits, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, checksum >>= 4U) {
    *digit = "0123456789abcdef"[checksum & 0xFU];
  }
  return digits;
}

std::optional<std::uint64_t> checksum_value(std::string_view digits) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  if (checksum_text(value) != digits) return std::nullopt;
  return value;
}

bool seal_head(std::span<std::byte> head) {
  const auto digits = find_digits(as_text(head));
  if (!digits) return false;
  const std::string checksum = checksum_text(checksum_without(as_text(head), *digits));
  std::ranges::copy(std::as_bytes(std::span(checksum)),
                    head.begin() + static_cast<std::ptrdiff_t>(*digits));
  return true;
}

Result<void> check_head(std::span<const std::byte> head, const std::string& name) {
  const std::string_view text = as_text(head);
  const auto digits = find_digits(text);
  if (!digits) {
    return fail(Fault::format,
                name + ": not a skim model, or a damaged one: its header holds no checksum");
  }
  if (text.substr(*digits, kChecksumDigits) != checksum_text(checksum_without(text, *digits))) {
    return fail(Fault::format,
                name + ": damaged: the header does not match its checksum; get the file again");
  }
  return {};
}

}  // namespace skim
