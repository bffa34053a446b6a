// Parses arbitrary bytes as questions of the Children's Book Test and compares each question with
// its 21 lines.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/cbt.h"
#include "tasks/text_lines.h"
#include "tests/support/fuzz.h"

namespace {

using skim::Example;
using skim::fuzz::require;

constexpr std::size_t kLines = 21;

// The line after its number and a space.
std::string_view strip_number(std::string_view line) {
  return line.substr(std::min(line.find(' '), line.size() - 1) + 1);
}

std::string join(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

// Compares with the 21 lines that end with the line of the question.
void check(const Example& example, const std::vector<std::string_view>& lines) {
  require(example.line >= kLines && example.line <= lines.size(), "a question has 21 lines");
  const std::size_t first = example.line - kLines;
  std::string text;
  for (std::size_t i = first; i + 1 < example.line; ++i) {
    if (i > first) text += ' ';
    text += strip_number(lines[i]);
  }
  require(example.query.text == text, "the text is that of the first 20 lines");
  const std::string choices = join(example.query.choices, '|');
  const auto fields = skim::split(lines[example.line - 1], '\t');
  require(fields.size() == 4 && strip_number(fields[0]) == example.query.question &&
              fields[1] == example.label && fields[3] == choices,
          "question, answer and choices are those of the last line");
  require(std::ranges::count(example.query.choices, example.label) == 1,
          "the answer is one of the choices");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = skim::fuzz::as_text(data, size);
  static_cast<void>(skim::looks_like_cbt(bytes));
  std::vector<Example> examples;
  const auto parsed = skim::parse_cbt(bytes, examples);
  if (!parsed) require(parsed.error().message.starts_with("line "), "an error gives its line");
  if (examples.empty()) return 0;
  std::vector<std::string_view> lines;
  skim::TextLines rest(bytes);
  while (const auto line = rest.next()) lines.push_back(line->text);
  for (const Example& example : examples) check(example, lines);
  return 0;
}
