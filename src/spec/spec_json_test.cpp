#include "spec/spec_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "skim/spec_text.h"
#include "spec/names.h"

namespace skim {
namespace {

using ::testing::HasSubstr;

ModelSpec unusual_spec() {
  ModelSpec spec;
  spec.tokenizer = Tokenizer::whitespace;
  spec.vocabulary = 12;
  spec.word_width = 5;
  spec.reader = {.cell = Cell::gru,
                 .input = 5,
                 .hidden = 9,
                 .small = {4, 0},
                 .small_sees = SmallSees::all,
                 .decision = Decision::dot};
  spec.layers = 2;
  spec.bidirectional = true;
  spec.pooling = Pooling::attention;
  spec.weights = WeightType::int8;
  spec.labels = {"schlecht", "gut \"so\"", "größer"};
  return spec;
}

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

// The message after `change` has been at the JSON of a sound spec.
template <class Change>
std::string spec_error_with(Change change) {
  Json json = json_of(unusual_spec());
  change(json);
  const auto spec = model_spec_of(json, "m.skim: spec");
  return spec ? "(no error)" : spec.error().message;
}

TEST(SpecJson, EveryFieldSurvives) {
  const ModelSpec spec = unusual_spec();
  const auto text = to_text(json_of(spec));
  const auto back = model_spec_of(*parse_json(text, "x"), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, spec);
  EXPECT_EQ(*reader_spec_of(json_of(spec.reader), "x"), spec.reader);
}

TEST(SpecJson, EveryNameSurvives) {
  const auto all_survive = []<class E>(E) {
    for (const auto& [value, name] : kNames<E>) {
      EXPECT_EQ(name_of(value), name);
      EXPECT_EQ(*value_named<E>(name, "x"), value);
    }
    return kNames<E>.size();
  };
  EXPECT_EQ(all_survive(Cell{}), 3U);
  EXPECT_EQ(all_survive(ReaderKind{}), 5U);
  EXPECT_EQ(all_survive(SmallSees{}), 2U);
  EXPECT_EQ(all_survive(Decision{}), 3U);
  EXPECT_EQ(all_survive(Pooling{}), 4U);
  EXPECT_EQ(all_survive(WeightType{}), 3U);
  EXPECT_EQ(all_survive(Tokenizer{}), 2U);
  EXPECT_EQ(all_survive(Policy::Rule{}), 3U);
}

TEST(SpecJson, AJumpReaderKeepsHowItMoves) {
  ModelSpec spec = unusual_spec();
  spec.reader.kind = ReaderKind::jump;
  spec.reader.small.clear();
  spec.reader.jump = {.run = 7, .reach = 10, .most = 4};
  EXPECT_EQ(*reader_spec_of(json_of(spec.reader), "x"), spec.reader);
  EXPECT_FALSE(json_of(spec.reader)["jump"].contains("ends"))
      << "files without it stay as they are";
  spec.reader.jump.ends = {3, 1};
  EXPECT_EQ(*reader_spec_of(json_of(spec.reader), "x"), spec.reader);
  Json json = json_of(spec.reader);
  json["jump"]["ends"] = "no list";
  EXPECT_FALSE(reader_spec_of(json, "x").has_value());
  json = json_of(spec.reader);
  json["jump"].erase("reach");
  EXPECT_FALSE(reader_spec_of(json, "x").has_value());
  json = json_of(spec.reader);
  json["jump"]["run"] = 0;
  EXPECT_FALSE(reader_spec_of(json, "x").has_value());
}

TEST(SpecJson, UnknownNamesComeWithTheAllowedOnes) {
  EXPECT_EQ(spec_error_with([](Json& json) { json["reader"]["cell"] = "qrnn"; }),
            "m.skim: spec.reader.cell is 'qrnn', it must be one of: lstm, gru, rnn");
}

TEST(SpecJson, AMissingFieldIsNamedWhicheverItIs) {
  for (const std::string& key : keys_of(json_of(unusual_spec()))) {
    EXPECT_EQ(spec_error_with([&](Json& json) { json.erase(key); }),
              "m.skim: spec." + key + " is missing");
  }
  for (const std::string& key : keys_of(json_of(unusual_spec().reader))) {
    EXPECT_EQ(spec_error_with([&](Json& json) { json["reader"].erase(key); }),
              "m.skim: spec.reader." + key + " is missing");
  }
}

TEST(SpecJson, WrongTypesAreNamed) {
  for (const std::string& key : keys_of(json_of(unusual_spec()))) {
    EXPECT_THAT(spec_error_with([&](Json& json) { json[key] = nullptr; }),
                HasSubstr("m.skim: spec." + key + " must be"));
  }
  EXPECT_THAT(spec_error_with([](Json& json) { json["labels"][1] = 3; }),
              HasSubstr("spec.labels[1] must be a string"));
  EXPECT_THAT(spec_error_with([](Json& json) { json["reader"]["small"][0] = 1e10; }),
              HasSubstr("spec.reader.small[0] must be a whole number"));
}

TEST(SpecJson, NonsenseIsRejectedLikeAnyOtherSpec) {
  EXPECT_THAT(spec_error_with([](Json& json) { json["reader"]["hidden"] = 0; }),
              HasSubstr("m.skim: spec: reader.hidden is 0"));
}

TEST(SpecJson, FieldsOfLaterVersionsArePassedOver) {
  EXPECT_EQ(spec_error_with([](Json& json) { json["colour"] = "blue"; }), "(no error)");
}

TEST(SpecText, IsWhatAFileHolds) {
  const ModelSpec spec = unusual_spec();
  EXPECT_EQ(spec_text(spec), to_text(json_of(spec)));
  EXPECT_EQ(reader_spec_from(spec_text(spec.reader)).value(), spec.reader);
}

TEST(SpecText, TextThatIsNoSpecIsNamed) {
  EXPECT_THAT(reader_spec_from("{").error().message, HasSubstr("spec"));
  EXPECT_THAT(reader_spec_from("{}").error().message, HasSubstr("spec.kind is missing"));
}

TEST(PolicyJson, SurvivesExactly) {
  const Policy policy{.read_above = 0.1F, .rule = Policy::Rule::sample, .seed = UINT64_MAX};
  const auto back = policy_of(*parse_json(to_text(json_of(policy)), "x"), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, policy);
}

TEST(PolicyJson, ThresholdsOutsideZeroToOneAreErrors) {
  Json json = json_of(Policy{});
  json["read_above"] = 1.5;
  EXPECT_EQ(policy_of(json, "p").error().message, "p.read_above must be from 0 to 1");
}

TEST(CalibrationJson, SurvivesExactly) {
  const Calibration calibration{.data = "dev.tsv", .points = {{0, 1.01}, {0.1, 0.7}, {1, 0.7}}};
  const auto back = calibration_of(*parse_json(to_text(json_of(calibration)), "x"), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, calibration);
}

TEST(CalibrationCheck, NamesThePointThatIsWrong) {
  const auto error_of = [](std::vector<Calibration::Point> points) {
    const auto result = check(Calibration{.data = "", .points = std::move(points)});
    return result ? "(no error)" : result.error().message;
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of({}), "(no error)");
  EXPECT_THAT(error_of({{1.5, 1}}), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(error_of({{kNan, 1}}), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(error_of({{0, kNan}}), HasSubstr("has work"));
  EXPECT_THAT(error_of({{0.5, 1}, {0.5, 0.5}}), HasSubstr("does not come after"));
  EXPECT_THAT(error_of({{0.25, 0.5}, {0.5, 0.6}}), HasSubstr("threshold 0.5"));
}

}  // namespace
}  // namespace skim
