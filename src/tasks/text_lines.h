// Lines of a text in memory, with their numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skim/result.h"

namespace skim {

struct TextLine {
  std::string_view text;   // without its line end, LF or CRLF
  std::size_t number = 0;  // counted from 1
};

// The last line may lack its line end; a line end at the very end starts no further line.
class TextLines {
 public:
  explicit TextLines(std::string_view bytes) : rest_(bytes) {}
  std::optional<TextLine> next();

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// What stands between the separators: one part more than there are of them.
std::vector<std::string> split_at(std::string_view text, char separator);

bool is_blank(std::string_view text);

// An error that says what is wrong with which line; it does not name the file.
tl::unexpected<Error> bad_line(std::size_t line, std::string_view reason);

}  // namespace skim
