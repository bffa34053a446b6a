#include "tasks/squad.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result_macros.h"
#include "text/tokenizer.h"

namespace skim {
namespace {

// Scans the start of a JSON object without parsing it: the first field names identify the format,
// and the rest may be large.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view bytes) : rest_(bytes) { drop(0); }

  bool at_end() const { return rest_.empty(); }
  bool starts_with(char c) const { return rest_.starts_with(c); }
  bool take(char c) {
    if (!starts_with(c)) return false;
    drop(1);
    return true;
  }

  // Returns the raw text between quotes, or nothing when no complete string follows.
  std::optional<std::string_view> take_string() {
    if (!starts_with('"')) return std::nullopt;
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2U : 1U;
    if (end >= rest_.size()) {
      rest_ = {};
      return std::nullopt;
    }
    const std::string_view text = rest_.substr(1, end - 1);
    drop(end + 1);
    return text;
  }

  // Skips to the comma or bracket after the value.
  void skip_value() {
    for (int depth = 0; !at_end();) {
      if (starts_with('"')) {
        take_string();
        continue;
      }
      const bool closes = starts_with('}') || starts_with(']');
      if (depth == 0 && (closes || starts_with(','))) return;
      if (starts_with('{') || starts_with('[')) ++depth;
      if (closes) --depth;
      drop(1);
    }
  }

 private:
  void drop(std::size_t count) {
    rest_.remove_prefix(count);
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  std::string_view rest_;
};

// A paragraph and the byte offsets of its code points.
struct Passage {
  std::string text;
  std::vector<std::size_t> starts;

  std::size_t byte_offset(std::uint64_t code_point) const {
    return code_point < starts.size() ? starts[code_point] : text.size();
  }
};

// `text` is valid UTF-8.
Passage make_passage(std::string text) {
  Passage passage{std::move(text), {}};
  passage.starts.reserve(passage.text.size());
  for (std::size_t i = 0; i < passage.text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(passage.text[i]) & 0xC0) == 0x80;
    if (!continues) passage.starts.push_back(i);
  }
  return passage;
}

// Returns the occurrence of the non-empty `wanted` in `text` nearest to `offset`; npos when absent.
std::size_t nearest_occurrence(std::string_view text, std::string_view wanted, std::size_t offset) {
  const std::size_t before = text.rfind(wanted, offset);
  const std::size_t after = text.find(wanted, offset);
  if (before == std::string_view::npos) return after;
  if (after == std::string_view::npos) return before;
  return offset - before <= after - offset ? before : after;
}

// Calls `visit` with each item of a list and its path until one call fails.
template <class Visit>
Result<void> for_each_item(const Json& list, const std::string& path, Visit visit) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    SKIM_RETURN_IF_ERROR(visit(list[i], path + "[" + std::to_string(i) + "]"));
  }
  return {};
}

template <class Visit>
Result<void> for_each_item_at(const Json& object, const char* key, const std::string& where,
                              Visit visit) {
  SKIM_ASSIGN_OR_RETURN(const auto list, array_at(object, key, where));
  return for_each_item(*list, where + "." + key, visit);
}

Result<GoldAnswer> parse_answer(const Json& answer, const Passage& passage,
                                const std::string& where) {
  GoldAnswer gold;
  SKIM_ASSIGN_OR_RETURN(gold.text, string_at(answer, "text", where));
  SKIM_ASSIGN_OR_RETURN(const auto start, unsigned_at(answer, "answer_start", where));
  if (gold.text.empty()) return fail(Fault::format, where + ".text is empty");
  gold.begin = nearest_occurrence(passage.text, gold.text, passage.byte_offset(start));
  return gold;
}

Result<std::vector<GoldAnswer>> parse_answers(const Json& question, const Passage& passage,
                                              const std::string& where) {
  std::vector<GoldAnswer> answers;
  const auto add = [&](const Json& answer, const std::string& path) -> Result<void> {
    SKIM_ASSIGN_OR_RETURN(auto gold, parse_answer(answer, passage, path));
    answers.push_back(std::move(gold));
    return {};
  };
  SKIM_RETURN_IF_ERROR(for_each_item_at(question, "answers", where, add));
  if (answers.empty()) {
    return fail(Fault::format, where + ".answers is empty; set is_impossible where the text " +
                                   "contains no answer");
  }
  return answers;
}

// Version 1.1 has no such field.
Result<bool> is_impossible(const Json& question, const std::string& where) {
  if (question.find("is_impossible") == question.end()) return false;
  return bool_at(question, "is_impossible", where);
}

Result<std::string> parse_id(const Json& question, const std::string& where) {
  if (question.find("id") == question.end()) return std::string();
  return string_at(question, "id", where);
}

bool has_words(std::string_view text) {
  std::vector<TokenSpan> words;
  tokenize(text, TokenizerKind::whitespace, words);
  return !words.empty();
}

Result<void> add_question(const Json& question, const Passage& passage, const std::string& where,
                          Dataset& data) {
  SKIM_ASSIGN_OR_RETURN(const auto impossible, is_impossible(question, where));
  if (impossible) {
    ++data.impossible;
    return {};
  }
  Example example;
  SKIM_ASSIGN_OR_RETURN(example.query.question, string_at(question, "question", where));
  SKIM_ASSIGN_OR_RETURN(example.id, parse_id(question, where));
  SKIM_ASSIGN_OR_RETURN(example.answers, parse_answers(question, passage, where));
  if (!has_words(example.query.question)) {
    return fail(Fault::format, where + ".question has no words");
  }
  example.query.text = passage.text;
  example.label = example.answers[0].text;
  example.line = data.examples.size() + data.impossible + 1;
  for (const GoldAnswer& answer : example.answers) {
    data.unaligned += answer.begin == std::string::npos ? 1U : 0U;
  }
  data.examples.push_back(std::move(example));
  return {};
}

Result<void> add_paragraph(const Json& paragraph, const std::string& where, Dataset& data) {
  SKIM_ASSIGN_OR_RETURN(auto context, string_at(paragraph, "context", where));
  const Passage passage = make_passage(std::move(context));
  return for_each_item_at(paragraph, "qas", where, [&](const Json& item, const std::string& path) {
    return add_question(item, passage, path, data);
  });
}

Result<void> add_article(const Json& article, const std::string& where, Dataset& data) {
  return for_each_item_at(
      article, "paragraphs", where,
      [&](const Json& item, const std::string& path) { return add_paragraph(item, path, data); });
}

}  // namespace

bool looks_like_squad(std::string_view bytes) {
  JsonScanner scanner(bytes);
  if (!scanner.take('{')) return false;
  while (true) {
    const auto name = scanner.take_string();
    if (!name || !scanner.take(':')) return false;
    if (*name == "label" || *name == "text") return false;
    if (*name == "data") {
      return scanner.take('[') &&
             (scanner.starts_with('{') || scanner.starts_with(']') || scanner.at_end());
    }
    scanner.skip_value();
    if (!scanner.take(',')) return false;
  }
}

Result<void> parse_squad(std::string_view bytes, Dataset& data) {
  SKIM_ASSIGN_OR_RETURN(const auto document, parse_json(bytes, "SQuAD"));
  const auto articles = document.find("data");
  if (articles == document.end() || !articles->is_array()) {
    return fail(Fault::format, "data must be a list");
  }
  const auto add = [&](const Json& item, const std::string& path) {
    return add_article(item, path, data);
  };
  SKIM_RETURN_IF_ERROR(for_each_item(*articles, "data", add));
  if (data.examples.empty()) return fail(Fault::format, "contains no answerable question");
  return {};
}

}  // namespace skim
