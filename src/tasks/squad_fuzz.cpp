// Parses arbitrary documents as SQuAD files. Answers must lie where they are said to lie, and a
// file must survive being written and parsed again.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/utf8.h"
#include "tasks/squad.h"
#include "tests/support/fuzz_json.h"

namespace {

using skim::Dataset;
using skim::Example;
using skim::GoldAnswer;
using skim::Json;
using skim::fuzz::require;

void check_answer(const std::string& text, const GoldAnswer& answer) {
  require(!answer.text.empty(), "answers are not empty");
  if (answer.begin == std::string::npos) {
    require(text.find(answer.text) == std::string::npos, "an unaligned answer is not in the text");
    return;
  }
  require(text.compare(answer.begin, answer.text.size(), answer.text) == 0,
          "an answer is where it begins");
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += skim::is_continuation(static_cast<unsigned char>(c)) ? 0U : 1U;
  return count;
}

Json to_json(const Example& example) {
  Json answers = Json::array();
  for (const GoldAnswer& answer : example.answers) {
    const std::size_t begin = answer.begin == std::string::npos ? 0 : answer.begin;
    const std::string before = example.query.text.substr(0, begin);
    answers.push_back({{"text", answer.text}, {"answer_start", count_code_points(before)}});
  }
  const Json question = {
      {"question", example.query.question}, {"id", example.id}, {"answers", answers}};
  return {{"context", example.query.text}, {"qas", Json::array({question})}};
}

bool is_same(const Example& left, const Example& right) {
  if (left.query.text != right.query.text || left.query.question != right.query.question ||
      left.id != right.id || left.label != right.label ||
      left.answers.size() != right.answers.size())
    return false;
  for (std::size_t i = 0; i < left.answers.size(); ++i) {
    if (left.answers[i].text != right.answers[i].text ||
        left.answers[i].begin != right.answers[i].begin)
      return false;
  }
  return true;
}

void check_round_trip(const Dataset& data) {
  Json paragraphs = Json::array();
  for (const Example& example : data.examples) paragraphs.push_back(to_json(example));
  const std::string text = skim::to_text({{"data", Json::array({{{"paragraphs", paragraphs}}})}});
  require(skim::looks_like_squad(text), "a written file is recognized");
  Dataset again;
  require(skim::parse_squad(text, again).has_value(), "a written file is valid");
  require(again.examples.size() == data.examples.size() && again.unaligned == data.unaligned,
          "a written file has the same questions");
  for (std::size_t i = 0; i < again.examples.size(); ++i)
    require(is_same(again.examples[i], data.examples[i]), "a written question parses to itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = skim::fuzz::as_text(data, size);
  static_cast<void>(skim::looks_like_squad(bytes));
  Dataset parsed;
  const auto done = skim::parse_squad(bytes, parsed);
  if (!done) {
    require(!done.error().message.empty(), "an error has a message");
    return 0;
  }
  std::size_t unaligned = 0;
  for (const Example& example : parsed.examples) {
    require(!example.answers.empty() && example.label == example.answers[0].text,
            "the label is the first answer");
    for (const GoldAnswer& answer : example.answers) {
      check_answer(example.query.text, answer);
      unaligned += answer.begin == std::string::npos ? 1U : 0U;
    }
  }
  require(unaligned == parsed.unaligned, "unaligned answers are counted");
  check_round_trip(parsed);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max, unsigned seed) {
  skim::fuzz::MutationRng random(seed);
  return skim::fuzz::mutate_json_text(data, size, max, random);
}
