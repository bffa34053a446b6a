#include "tasks/text_lines.h"

#include <string>

namespace skim {

std::optional<TextLine> TextLines::next() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return TextLine{line, ++number_};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

tl::unexpected<Error> line_error(std::size_t line, std::string_view reason) {
  return fail(Fault::format, "line " + std::to_string(line) + ": " + std::string(reason));
}

}  // namespace skim
