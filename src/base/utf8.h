// UTF-8 decoding, encoding and validation.
#pragma once

#include <cstddef>
#include <string_view>

namespace skim {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

struct CodePoint {
  char32_t code = kReplacementCharacter;
  std::size_t length = 1;  // in bytes, at least 1
};

inline bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// Decodes the code point at `at` < text.size(). An ill-formed sequence gives U+FFFD over its
// maximal subpart (Unicode 3.9): the longest prefix of a well-formed sequence, or else one byte.
inline CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {kReplacementCharacter, 1};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const std::size_t left = text.size() - at;
  // The second byte also rules out overlong forms, surrogates and codes above U+10FFFF.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (left < 2 || byte(1) < low || byte(1) > high) return {kReplacementCharacter, 1};
  char32_t code = (lead & (0x7FU >> length)) << 6 | (byte(1) & 0x3FU);
  for (std::size_t i = 2; i < length; ++i) {
    if (i >= left || !is_continuation(byte(i))) return {kReplacementCharacter, i};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  return {code, length};
}

// Writes a valid code point to `out` and returns its length in bytes (1 to 4).
inline std::size_t encode_utf8(char32_t code, char* out) {
  const auto put = [&](std::size_t i, char32_t byte) { out[i] = static_cast<char>(byte); };
  if (code < 0x80) return put(0, code), 1;
  const auto tail = [&](int shift) { return 0x80 | ((code >> shift) & 0x3F); };
  if (code < 0x800) return put(0, 0xC0 | code >> 6), put(1, tail(0)), 2;
  if (code < 0x10000) return put(0, 0xE0 | code >> 12), put(1, tail(6)), put(2, tail(0)), 3;
  return put(0, 0xF0 | code >> 18), put(1, tail(12)), put(2, tail(6)), put(3, tail(0)), 4;
}

// Length of the well-formed sequence at the start of `bytes`, which are not empty; 0 when there is
// none.
std::size_t utf8_length(std::string_view bytes);

// Whether `bytes` are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

}  // namespace skim
