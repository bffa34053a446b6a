#include "tasks/squad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tasks/format.h"
#include "tasks/load.h"

namespace skim {
namespace {

using testing::HasSubstr;

// A file of one paragraph; both arguments are JSON.
std::string squad_file(const std::string& context, const std::string& questions) {
  return R"({"version": "1.1", "data": [{"title": "Tea", "paragraphs": [{"context": )" + context +
         R"(, "qas": [)" + questions + "]}]}]}";
}

std::string make_question(const std::string& answers) {
  return R"({"id": "q1", "question": "What?", "answers": [)" + answers + "]}";
}

Dataset squad_data(std::string_view bytes) {
  auto data = parse_examples(bytes, "d");
  EXPECT_TRUE(data) << data.error().message;
  return data ? std::move(*data) : Dataset{};
}

std::string squad_error(std::string_view bytes) {
  const auto data = parse_examples(bytes, "d");
  return data ? "no error" : data.error().message;
}

// Offset at which the only answer to the only question about `context` was found.
std::size_t find_offset(const std::string& context, const std::string& answer) {
  const Dataset data = squad_data(squad_file(context, make_question(answer)));
  return data.examples.empty() ? 0 : data.examples[0].answers[0].begin;
}

TEST(ParseSquad, RejectsAQuestionWithoutWords) {
  for (const char* nothing : {"", "  ", "\\u3000\\n"}) {
    EXPECT_THAT(squad_error(squad_file(
                    R"("Tea.")", std::string(R"({"question": ")") + nothing +
                                     R"(", "answers": [{"text": "Tea", "answer_start": 0}]})")),
                HasSubstr("data[0].paragraphs[0].qas[0].question has no words"));
  }
}

TEST(LooksLikeSquad, RecognizesTheListOfArticles) {
  EXPECT_TRUE(looks_like_squad(R"({"data": [{"title": "a"}]})"));
  EXPECT_TRUE(looks_like_squad("\n{\n\t\"version\": \"v2.0\",\n\t\"data\": [\n\t\t{}]}"));
  EXPECT_TRUE(looks_like_squad(R"({"note": {"data": ["}", "\""]}, "data": [{)"));
  EXPECT_TRUE(looks_like_squad(R"({"data": [)"));
  EXPECT_TRUE(looks_like_squad(R"({"data": []})"));
}

TEST(LooksLikeSquad, RejectsJsonLinesWithAFieldNamedData) {
  EXPECT_FALSE(looks_like_squad(R"({"label": 1, "text": "a", "data": [{}]})"));
  EXPECT_FALSE(looks_like_squad(R"({"data": [1, 2], "label": 1, "text": "a"})"));
  EXPECT_FALSE(looks_like_squad(R"({"data": "x", "label": 1, "text": "a"})"));
  EXPECT_FALSE(looks_like_squad(R"({"id": {"data": [{}]}, "label": 1})"));
}

TEST(LooksLikeSquad, RejectsOtherTextAndTruncatedStarts) {
  for (const char* bytes : {"", "{", "{\"", "{\"data", "{\"data\"", "{\"data\":", "{\"a\\", "{x\t1",
                            "[{\"data\": [{", "{\"a\": [1}", "{\"a\": \"b", "data"}) {
    EXPECT_FALSE(looks_like_squad(bytes)) << bytes;
  }
}

TEST(DetectFormat, RecognizesSquadOnOneAndOnManyLines) {
  EXPECT_EQ(detect_format(R"({"data": [{"paragraphs": []}]})")->format, Format::squad);
  EXPECT_EQ(detect_format("\xEF\xBB\xBF{\r\n  \"data\": [\r\n  {")->format, Format::squad);
}

TEST(ParseSquad, MakesAnExampleOfEachQuestion) {
  const Dataset data = squad_data(R"({"data": [
    {"title": "Tea", "paragraphs": [
      {"context": "Tea grows on hills.", "qas": [
        {"id": "a1", "question": "What grows?", "answers": [{"text": "Tea", "answer_start": 0}]},
        {"id": "a2", "question": "Where?", "answers": [{"text": "on hills", "answer_start": 10},
                                                       {"text": "hills", "answer_start": 13}]}]},
      {"context": "Cups are small.", "qas": [
        {"question": "How big?", "answers": [{"text": "small", "answer_start": 9}]}]}]},
    {"title": "Nothing", "paragraphs": []}], "version": "1.1"})");
  ASSERT_EQ(data.examples.size(), 3U);
  const Example& second = data.examples[1];
  EXPECT_EQ(second.query.text, "Tea grows on hills.");
  EXPECT_EQ(second.query.question, "Where?");
  EXPECT_TRUE(second.query.choices.empty());
  EXPECT_EQ(second.label, "on hills");
  EXPECT_EQ(second.id, "a2");
  EXPECT_EQ(second.line, 2U);
  ASSERT_EQ(second.answers.size(), 2U);
  EXPECT_EQ(second.answers[1].text, "hills");
  EXPECT_EQ(second.answers[1].begin, 13U);
  EXPECT_EQ(data.examples[2].query.text, "Cups are small.");
  EXPECT_EQ(data.examples[2].id, "");
}

TEST(ParseSquad, SkipsAndCountsImpossibleQuestions) {
  const Dataset data =
      squad_data(squad_file(R"("Tea is hot.")",
                            R"({"id": "a", "question": "Who?", "is_impossible": true, "answers": [],
          "plausible_answers": [{"text": "Tea", "answer_start": 0}]},
         {"id": "b", "question": "What?", "is_impossible": false,
          "answers": [{"text": "Tea", "answer_start": 0}]})"));
  ASSERT_EQ(data.examples.size(), 1U);
  EXPECT_EQ(data.examples[0].id, "b");
  EXPECT_EQ(data.examples[0].line, 2U);
  EXPECT_EQ(data.impossible, 1U);
  EXPECT_EQ(data.unaligned, 0U);
}

TEST(ParseSquad, ConvertsCodePointOffsetsToBytes) {
  // Two bytes, three and four for one code point each.
  EXPECT_EQ(find_offset(R"("café tea")", R"({"text": "tea", "answer_start": 5})"), 6U);
  EXPECT_EQ(find_offset(R"("“tea”")", R"({"text": "tea”", "answer_start": 1})"), 3U);
  EXPECT_EQ(find_offset(R"("🍵 tea")", R"({"text": "tea", "answer_start": 2})"), 5U);
  EXPECT_EQ(find_offset(R"("\ud83c\udf75 tea")", R"({"text": "tea", "answer_start": 2})"), 5U);
  // An accent that is a code point of its own counts as one.
  EXPECT_EQ(find_offset(R"("cafe\u0301 tea")", R"({"text": "tea", "answer_start": 6})"), 7U);
}

TEST(ParseSquad, TakesTheOccurrenceAtTheGivenOffset) {
  EXPECT_EQ(find_offset(R"("é tea tea tea")", R"({"text": "tea", "answer_start": 6})"), 7U);
  EXPECT_EQ(find_offset(R"("aaaa")", R"({"text": "aa", "answer_start": 1})"), 1U);
}

TEST(ParseSquad, AlignsAMisplacedAnswerToTheNearestOccurrence) {
  EXPECT_EQ(find_offset(R"("tea, milk and tea")", R"({"text": "tea", "answer_start": 3})"), 0U);
  EXPECT_EQ(find_offset(R"("tea, milk and tea")", R"({"text": "tea", "answer_start": 12})"), 14U);
  EXPECT_EQ(find_offset(R"("tea")", R"({"text": "tea", "answer_start": 99})"), 0U);
  EXPECT_EQ(find_offset(R"("tea")", R"({"text": "tea", "answer_start": 18446744073709551615})"),
            0U);
}

TEST(ParseSquad, KeepsAndCountsUnalignedAnswers) {
  const Dataset data = squad_data(
      squad_file(R"("Tea is hot.")", make_question(R"({"text": "coffee", "answer_start": 0},
                                                    {"text": "Tea", "answer_start": 0},
                                                    {"text": "tea", "answer_start": 0})")));
  ASSERT_EQ(data.examples.size(), 1U);
  EXPECT_EQ(data.examples[0].label, "coffee");
  EXPECT_EQ(data.examples[0].answers[0].begin, std::string::npos);
  EXPECT_EQ(data.examples[0].answers[1].begin, 0U);
  EXPECT_EQ(data.examples[0].answers[2].begin, std::string::npos);
  EXPECT_EQ(data.unaligned, 2U);
}

TEST(ParseSquad, ReportsFileAndPathOfMissingFields) {
  EXPECT_EQ(squad_error(R"({"data": [{"paragraphs": []}, {"title": "a"}]})"),
            "d: data[1].paragraphs is missing");
  EXPECT_EQ(squad_error(R"({"data": [{"paragraphs": [{"qas": []}]}]})"),
            "d: data[0].paragraphs[0].context is missing");
  EXPECT_EQ(squad_error(R"({"data": [{"paragraphs": [{"context": "a"}]}]})"),
            "d: data[0].paragraphs[0].qas is missing");
  EXPECT_EQ(squad_error(squad_file(R"("a")", R"({"answers": []})")),
            "d: data[0].paragraphs[0].qas[0].question is missing");
  EXPECT_EQ(squad_error(squad_file(R"("a")", R"({"question": "a"})")),
            "d: data[0].paragraphs[0].qas[0].answers is missing");
  EXPECT_THAT(squad_error(squad_file(R"("a")", make_question(""))),
              HasSubstr("qas[0].answers is empty"));
  EXPECT_EQ(squad_error(squad_file(R"("a")", make_question(R"({"text": "a", "answer_start": 0},
                                                            {"text": "a"})"))),
            "d: data[0].paragraphs[0].qas[0].answers[1].answer_start is missing");
  EXPECT_EQ(squad_error(squad_file(R"("a")", make_question(R"({"text": "", "answer_start": 0})"))),
            "d: data[0].paragraphs[0].qas[0].answers[0].text is empty");
}

TEST(ParseSquad, ReportsFileAndPathOfFieldsOfTheWrongType) {
  EXPECT_EQ(squad_error(R"({"data": [{"paragraphs": {}}]})"),
            "d: data[0].paragraphs must be a list");
  EXPECT_EQ(squad_error(R"({"data": [{"paragraphs": [7]}]})"),
            "d: data[0].paragraphs[0] must be an object");
  EXPECT_EQ(squad_error(squad_file("7", "")), "d: data[0].paragraphs[0].context must be a string");
  EXPECT_EQ(squad_error(squad_file(R"("a")", "[]")),
            "d: data[0].paragraphs[0].qas[0] must be an object");
  EXPECT_EQ(squad_error(squad_file(R"("a")", R"({"is_impossible": "no"})")),
            "d: data[0].paragraphs[0].qas[0].is_impossible must be true or false");
  EXPECT_EQ(squad_error(squad_file(R"("a")", R"({"question": "a", "id": 7})")),
            "d: data[0].paragraphs[0].qas[0].id must be a string");
  EXPECT_EQ(
      squad_error(squad_file(R"("a")", make_question(R"({"text": "a", "answer_start": -1})"))),
      "d: data[0].paragraphs[0].qas[0].answers[0].answer_start must be a whole number, zero "
      "or more");
  EXPECT_EQ(squad_error(squad_file(R"("a")", make_question(R"({"text": 1, "answer_start": 0})"))),
            "d: data[0].paragraphs[0].qas[0].answers[0].text must be a string");
}

TEST(ParseSquad, RejectsOtherJson) {
  Dataset data;
  EXPECT_EQ(parse_squad("[1]", data).error().message, "data must be a list");
  EXPECT_EQ(parse_squad(R"({"data": 1})", data).error().message, "data must be a list");
}

TEST(ParseSquad, RejectsATruncatedFile) {
  const std::string whole =
      squad_file(R"("Tea \u00e9")", make_question(R"({"text": "Tea", "answer_start": 0})"));
  ASSERT_EQ(squad_error(whole), "no error");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(squad_error(whole.substr(0, size)), testing::StartsWith("d: ")) << size;
  }
  EXPECT_THAT(squad_error(whole.substr(0, whole.size() / 2)), HasSubstr("SQuAD: not valid JSON"));
}

TEST(ParseSquad, RejectsAFileWithoutAnAnswerableQuestion) {
  EXPECT_EQ(squad_error(R"({"data": []})"), "d: contains no answerable question");
  EXPECT_EQ(squad_error(squad_file(R"("a")", R"({"question": "a", "is_impossible": true})")),
            "d: contains no answerable question");
}

}  // namespace
}  // namespace skim
