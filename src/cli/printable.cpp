// Escapes text for the terminal. Apart from output.cpp, so that the fuzzer of the options can have
// it without the functions that write.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "cli/output.h"

namespace skim::cli {
namespace {

// C0, delete, C1 (two bytes in UTF-8) and bidirectional control characters.
bool is_terminal_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  if (character.size() == 2) {
    return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
  }
  return (character >= "\u202A" && character <= "\u202E") ||
         (character >= "\u2066" && character <= "\u2069");
}

void append_escaped(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
    out += escaped;
  }
}

std::string escape_controls(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    if (length == 0) {
      out += "\uFFFD";
    } else if (is_terminal_control(character) && kept.find(character) == std::string_view::npos) {
      append_escaped(character, out);
    } else {
      out += character;
    }
    at += character.size();
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return escape_controls(text, {}); }

std::string printable_lines(std::string_view text) { return escape_controls(text, "\n\t"); }

}  // namespace skim::cli
