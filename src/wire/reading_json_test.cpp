#include "wire/reading_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"

namespace skim {
namespace {

// A hand-made reading: one letter per word in `actions`, 'r' for read, 's' for skimmed.
struct HandMadeReading {
  std::string text;
  Reading reading;
  ModelSpec spec;

  HandMadeReading(std::string source, std::vector<TokenSpan> words, std::string_view actions)
      : text(std::move(source)) {
    spec.labels = {"bad", "good"};
    reading.words = std::move(words);
    reading.scores = {0.25F, 0.75F};
    reading.answer = {spec.labels[1], 1, 0.75F};
    Pass pass{"0.forward", 100, {}};
    for (const char action : actions) {
      pass.steps.push_back({static_cast<std::uint16_t>(action == 'r' ? 100 : 10), 0.5F});
    }
    reading.trace = {pass};
  }

  ReadingView view() const { return {text, reading, spec, "sentiment", Policy{}, 12}; }
};

Json serialize(const ReadingView& view, ReadingFields fields) {
  std::string out;
  append_reading(out, view, fields);
  const auto json = parse_json(out, "reading");
  EXPECT_TRUE(json) << out;
  return json ? *json : Json();
}

TEST(ReadingJson, ContainsAnswerScoresAndCost) {
  const HandMadeReading made("a b", {{0, 1}, {2, 3}}, "rs");
  const Json json = serialize(made.view(), {});
  const Json expected = {
      {"answer", {{"text", "good"}, {"index", 1}, {"score", 0.75}}},
      {"scores", {{{"label", "bad"}, {"score", 0.25}}, {{"label", "good"}, {"score", 0.75}}}},
      {"skim_rate", 0.5},
      {"flop_reduction", {{"paper", 1.0}, {"counted", 1.0}, {"executed", 1.0}}},
      {"threshold", 0.5},
      {"microseconds", 12.0}};
  EXPECT_EQ(json, expected);
}

TEST(ReadingJson, WordsPassesAndModelAreOptional) {
  const HandMadeReading made("a b", {{0, 1}, {2, 3}}, "rs");
  const Json full = serialize(made.view(), {.model = true, .words = true, .passes = true});
  EXPECT_EQ(full["model"], "sentiment");
  EXPECT_EQ(full["words"][1],
            Json({{"text", "b"}, {"begin", 2}, {"end", 3}, {"width", 10}, {"p_read", 0.5}}));
  EXPECT_EQ(full["passes"][0]["reader"], "0.forward");
  EXPECT_EQ(full["passes"][0]["hidden_size"], 100);
  EXPECT_EQ(full["passes"][0]["steps"].size(), 2U);
  const Json words = serialize(made.view(), {.words = true});
  EXPECT_FALSE(words.contains("passes"));
  EXPECT_FALSE(words.contains("model"));
}

TEST(ReadingJson, AnExtractiveAnswerHasAByteSpanAndNoScores) {
  HandMadeReading made("a b", {{0, 1}, {2, 3}}, "rs");
  made.spec.net = NetKind::span;
  made.reading.answer = {"b", -1, 0.5F, 2, 3};
  const Json json = serialize(made.view(), {});
  EXPECT_EQ(json["answer"]["begin"], 2);
  EXPECT_EQ(json["answer"]["end"], 3);
  EXPECT_FALSE(json.contains("scores"));
}

TEST(ReadingJson, AMultiLabelReadingListsItsLabels) {
  HandMadeReading made("a b", {{0, 1}, {2, 3}}, "rs");
  made.spec.output = OutputActivation::sigmoid;
  EXPECT_EQ(serialize(made.view(), {})["labels"], Json::array());
  EXPECT_EQ(label_list(made.reading, made.spec), "");
  made.reading.labels = {0, 1};
  const Json json = serialize(made.view(), {});
  EXPECT_EQ(json["labels"], Json({"bad", "good"}));
  EXPECT_EQ(json["scores"].size(), 2U);
  EXPECT_EQ(label_list(made.reading, made.spec), "bad,good");
}

TEST(ReadingJson, ANumberHasAValueAndNoScores) {
  HandMadeReading made("a b", {{0, 1}, {2, 3}}, "rs");
  made.spec.output = OutputActivation::linear;
  made.spec.labels.clear();
  made.reading.answer = {.text = "3.5", .value = 3.5F};
  const Json json = serialize(made.view(), {});
  EXPECT_EQ(json["answer"], Json({{"text", "3.5"}, {"value", 3.5}}));
  EXPECT_FALSE(json.contains("scores"));
}

TEST(ReadingJson, AClozeReadingHasChoiceScoresAndQuestionSteps) {
  HandMadeReading made("a b", {{0, 1}, {2, 3}}, "rsr");
  made.spec.net = NetKind::cloze;
  made.reading.question_words = {{0, 3}};
  const std::vector<std::string> choices = {"x", "y"};
  ReadingView view = made.view();
  view.question = "who";
  view.choices = choices;
  const Json json = serialize(view, {.words = true});
  EXPECT_EQ(json["scores"][1]["choice"], "y");
  EXPECT_EQ(json["question_words"][0]["text"], "who");
  EXPECT_EQ(json["question_words"][0]["width"], 100);
}

TEST(ReadingJson, ThresholdIsNullUnderOtherRules) {
  const HandMadeReading made("a", {{0, 1}}, "r");
  ReadingView view = made.view();
  view.policy.rule = Policy::Rule::argmax;
  EXPECT_TRUE(serialize(view, {})["threshold"].is_null());
}

TEST(ReadingJson, TheWarmTimeIsPresentIfItWasMeasured) {
  const HandMadeReading made("a", {{0, 1}}, "r");
  ReadingView view = made.view();
  EXPECT_FALSE(serialize(view, {}).contains("warm_microseconds"));
  view.warm_microseconds = 3;
  const Json json = serialize(view, {});
  EXPECT_EQ(json["warm_microseconds"], 3.0);
  EXPECT_EQ(json["microseconds"], 12.0);
}

TEST(ReadingJson, InvalidUtf8IsReplaced) {
  const HandMadeReading made("a\xFF", {{0, 2}}, "r");
  EXPECT_EQ(serialize(made.view(), {.words = true})["words"][0]["text"], "a\uFFFD");
}

TEST(ReadingJson, AnEmptyTextHasAnEmptyWordList) {
  const HandMadeReading made("", {}, "");
  EXPECT_EQ(serialize(made.view(), {.words = true, .passes = true})["words"], Json::array());
}

}  // namespace
}  // namespace skim
