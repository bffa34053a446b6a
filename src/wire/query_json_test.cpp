#include "wire/query_json.h"

#include <gtest/gtest.h>

namespace skim {
namespace {

FieldResult<Query> parse(std::string_view text) {
  auto json = parse_json(text, "test");
  EXPECT_TRUE(json);
  return parse_query(*json);
}

TEST(QueryJson, ParsesTextQuestionAndChoices) {
  const auto query = parse(R"({"text": "a", "question": "b", "choices": ["c", "d"], "more": 1})");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->text, "a");
  EXPECT_EQ(query->question, "b");
  EXPECT_EQ(query->choices, (std::vector<std::string>{"c", "d"}));
}

TEST(QueryJson, QuestionAndChoicesAreOptional) {
  const auto query = parse(R"({"text": ""})");
  ASSERT_TRUE(query);
  EXPECT_TRUE(query->question.empty());
  EXPECT_TRUE(query->choices.empty());
}

TEST(QueryJson, ErrorsNameTheInvalidField) {
  const auto field = [](std::string_view text) { return parse(text).error().field; };
  EXPECT_EQ(field(R"([])"), "");
  EXPECT_EQ(field(R"({})"), "text");
  EXPECT_EQ(field(R"({"text": 1})"), "text");
  EXPECT_EQ(field(R"({"text": "a", "question": null})"), "question");
  EXPECT_EQ(field(R"({"text": "a", "choices": "b"})"), "choices");
  EXPECT_EQ(field(R"({"text": "a", "choices": ["b", 2]})"), "choices[1]");
  EXPECT_EQ(parse(R"({"text": 1})").error().message, "text must be a string");
}

}  // namespace
}  // namespace skim
