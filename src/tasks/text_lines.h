// Iterates over the lines of a text in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skim/result.h"

namespace skim {

struct TextLine {
  std::string_view text;   // without its newline (LF or CRLF)
  std::size_t number = 0;  // from 1
};

// The final newline is optional; a trailing newline does not start another line.
class TextLines {
 public:
  explicit TextLines(std::string_view bytes) : rest_(bytes) {}
  std::optional<TextLine> next();

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// Splits at every separator; n separators give n + 1 parts.
std::vector<std::string> split(std::string_view text, char separator);

bool is_blank(std::string_view text);

// Makes the error "line N: reason"; it does not name the file.
tl::unexpected<Error> line_error(std::size_t line, std::string_view reason);

}  // namespace skim
