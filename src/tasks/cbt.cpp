#include "tasks/cbt.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/result_macros.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

constexpr std::size_t kContextSentences = 20;
constexpr std::string_view kPlaceholder = "XXXXX";

// Returns the text after the line number, or nothing when the line has another number.
std::optional<std::string_view> strip_line_number(std::string_view line, std::size_t number) {
  const std::string expected = std::to_string(number);
  if (!line.starts_with(expected)) return std::nullopt;
  line.remove_prefix(expected.size());
  if (!line.empty() && line.front() != ' ') return std::nullopt;
  return line.substr(line.empty() ? 0 : 1);
}

Result<void> check_choices(const std::vector<std::string>& choices, const std::string& answer,
                           std::size_t line) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].empty()) {
      return line_error(line, "choice " + std::to_string(i + 1) + " is empty");
    }
    if (std::find(choices.begin() + static_cast<std::ptrdiff_t>(i) + 1, choices.end(),
                  choices[i]) != choices.end()) {
      return line_error(line, "the choice '" + choices[i].substr(0, 80) + "' appears twice");
    }
  }
  if (std::find(choices.begin(), choices.end(), answer) == choices.end()) {
    return line_error(line, "the answer '" + answer.substr(0, 80) + "' is not among the choices");
  }
  return {};
}

// Parses the question line; `sentence` is the text after its number.
Result<Example> parse_question(std::string_view sentence, std::size_t line) {
  auto fields = split(sentence, '\t');
  if (fields.size() != 4) {
    return line_error(line,
                      "has " + std::to_string(fields.size()) +
                          " fields, expected 21 question<TAB>answer<TAB><TAB>choice|choice|...");
  }
  if (fields[0].find(kPlaceholder) == std::string::npos) {
    return line_error(line, "the question has no placeholder " + std::string(kPlaceholder));
  }
  auto choices = split(fields[3], '|');
  SKIM_RETURN_IF_ERROR(check_choices(choices, fields[1], line));
  return Example{{{}, std::move(fields[0]), std::move(choices)}, std::move(fields[1]), line};
}

tl::unexpected<Error> incomplete_question(std::size_t line, std::size_t sentence) {
  return line_error(line, "the question ends before its line " + std::to_string(sentence) + " of " +
                              std::to_string(kContextSentences + 1));
}

}  // namespace

bool looks_like_cbt(std::string_view bytes) {
  TextLines lines(bytes);
  auto line = lines.next();
  while (line && is_blank(line->text)) line = lines.next();
  // A line with a tab is a label and its text.
  if (!line || !line->text.starts_with("1 ") || line->text.find('\t') != std::string_view::npos) {
    return false;
  }
  line = lines.next();
  return line && line->text.starts_with("2 ");
}

Result<void> parse_cbt(std::string_view bytes, std::vector<Example>& examples) {
  TextLines lines(bytes);
  std::string text;
  std::size_t expected = 1;  // number of the next sentence
  std::size_t last_line = 0;
  while (const auto line = lines.next()) {
    last_line = line->number;
    if (is_blank(line->text)) {
      if (expected != 1) return incomplete_question(line->number, expected);
      continue;
    }
    const auto sentence = strip_line_number(line->text, expected);
    if (!sentence) {
      return line_error(line->number, "does not start with " + std::to_string(expected) +
                                          ", the number of the next sentence");
    }
    if (expected <= kContextSentences) {
      text += expected == 1 ? "" : " ";
      text += *sentence;
      ++expected;
      continue;
    }
    SKIM_ASSIGN_OR_RETURN(auto example, parse_question(*sentence, line->number));
    example.query.text = std::exchange(text, {});
    examples.push_back(std::move(example));
    expected = 1;
  }
  if (expected != 1) return incomplete_question(last_line, expected);
  return {};
}

}  // namespace skim
