#include "tasks/cbt.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "tasks/text_lines.h"

namespace skim {
namespace {

constexpr std::size_t kContextSentences = 20;
constexpr std::string_view kGap = "XXXXX";

// What follows the number a line must start with; nothing when it starts otherwise.
std::optional<std::string_view> sentence_of(std::string_view line, std::size_t number) {
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
      return bad_line(line, "choice " + std::to_string(i + 1) + " is empty");
    }
    if (std::find(choices.begin() + static_cast<std::ptrdiff_t>(i) + 1, choices.end(),
                  choices[i]) != choices.end()) {
      return bad_line(line, "the choice '" + choices[i].substr(0, 80) + "' is given twice");
    }
  }
  if (std::find(choices.begin(), choices.end(), answer) == choices.end()) {
    return bad_line(line, "the answer '" + answer.substr(0, 80) + "' is none of the choices");
  }
  return {};
}

// `sentence` is what stands behind the number of the question's line.
Result<Example> cloze_of(std::string_view sentence, std::size_t line) {
  auto fields = split_at(sentence, '\t');
  if (fields.size() != 4) {
    return bad_line(line,
                    "has " + std::to_string(fields.size()) +
                        " fields, expected 21 question<TAB>answer<TAB><TAB>choice|choice|...");
  }
  if (fields[0].find(kGap) == std::string::npos) {
    return bad_line(line, "the question has no gap, which " + std::string(kGap) + " marks");
  }
  auto choices = split_at(fields[3], '|');
  if (auto fine = check_choices(choices, fields[1], line); !fine) {
    return tl::make_unexpected(fine.error());
  }
  return Example{{{}, std::move(fields[0]), std::move(choices)}, std::move(fields[1]), line};
}

tl::unexpected<Error> broken_off(std::size_t line, std::size_t sentence) {
  return bad_line(line, "the question breaks off before its line " + std::to_string(sentence) +
                            " of " + std::to_string(kContextSentences + 1));
}

}  // namespace

bool looks_like_cbt(std::string_view bytes) {
  TextLines lines(bytes);
  auto line = lines.next();
  while (line && is_blank(line->text)) line = lines.next();
  // A tab would make it a label and its text.
  if (!line || !line->text.starts_with("1 ") || line->text.find('\t') != std::string_view::npos) {
    return false;
  }
  line = lines.next();
  return line && line->text.starts_with("2 ");
}

Result<void> parse_cbt(std::string_view bytes, std::vector<Example>& examples) {
  TextLines lines(bytes);
  std::string text;
  std::size_t due = 1;  // the number the next sentence must have
  std::size_t last_line = 0;
  while (const auto line = lines.next()) {
    last_line = line->number;
    if (is_blank(line->text)) {
      if (due != 1) return broken_off(line->number, due);
      continue;
    }
    const auto sentence = sentence_of(line->text, due);
    if (!sentence) {
      return bad_line(line->number, "does not start with " + std::to_string(due) +
                                        ", the number of the sentence that is due");
    }
    if (due <= kContextSentences) {
      text += due == 1 ? "" : " ";
      text += *sentence;
      ++due;
      continue;
    }
    auto example = cloze_of(*sentence, line->number);
    if (!example) return tl::make_unexpected(example.error());
    example->query.text = std::exchange(text, {});
    examples.push_back(std::move(*example));
    due = 1;
  }
  if (due != 1) return broken_off(last_line, due);
  return {};
}

}  // namespace skim
