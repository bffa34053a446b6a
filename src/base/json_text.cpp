#include "base/json_text.h"

#include <charconv>
#include <cmath>
#include <cstddef>

#include "base/utf8.h"

namespace skim {
namespace {

constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";

// ASCII characters that need no escape.
bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kCodes = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  out += '\\';
  if (const auto at = kCodes.find(c); at != std::string_view::npos) {
    out += kLetters[at];
    return;
  }
  const auto code = static_cast<unsigned char>(c);
  out.append("u00").append(1, kHex[code >> 4U]).append(1, kHex[code & 15U]);
}

// Appends the first character of `text`, which is not plain; returns its length in bytes.
std::size_t append_special(std::string& out, std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead == 0x7F) {
    out += text[0];
    return 1;
  }
  if (lead < 0x80) {
    append_escape(out, text[0]);
    return 1;
  }
  const CodePoint first = decode_utf8(text, 0);
  if (first.code == kReplacementCharacter)
    out += kReplacementText;
  else
    out.append(text.substr(0, first.length));
  return first.length;
}

template <class Number>
void append_digits(std::string& out, Number value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (!text.empty()) text.remove_prefix(append_special(out, text));
  }
  out += '"';
}

void append_json(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 6).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_json(std::string& out, std::uint64_t value) { append_digits(out, value); }
void append_json(std::string& out, int value) { append_digits(out, value); }

}  // namespace skim
