#include "spec/spec_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "skim/spec_text.h"
#include "spec/names.h"

namespace skim {
namespace {

using ::testing::HasSubstr;

ModelSpec unusual_spec() {
  ModelSpec spec;
  spec.tokenizer = TokenizerKind::whitespace;
  spec.vocab_size = 12;
  spec.embedding_size = 5;
  spec.reader = {.cell = Cell::gru,
                 .input_size = 5,
                 .hidden_size = 9,
                 .skim_sizes = {4, 0},
                 .small_input = SmallInput::full,
                 .decision = Decision::dot};
  spec.num_layers = 2;
  spec.bidirectional = true;
  spec.pooling = Pooling::attention;
  spec.weight_type = WeightType::int8;
  spec.labels = {"schlecht", "gut \"so\"", "größer"};
  return spec;
}

std::vector<std::string> list_keys(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

// The error of parsing a valid spec's JSON after `change`.
template <class Change>
std::string parse_error_after(Change change) {
  Json json = to_json(unusual_spec());
  change(json);
  const auto spec = parse_model_spec(json, "m.skim: spec");
  return spec ? "(no error)" : spec.error().message;
}

TEST(SpecJson, RoundTripKeepsEveryField) {
  const ModelSpec spec = unusual_spec();
  const auto text = to_text(to_json(spec));
  const auto back = parse_model_spec(*parse_json(text, "x"), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, spec);
  EXPECT_EQ(*parse_reader_spec(to_json(spec.reader), "x"), spec.reader);
}

// Files without the field stay as they are, byte for byte.
TEST(SpecJson, OutputIsWrittenUnlessItIsSoftmax) {
  ModelSpec spec = unusual_spec();
  EXPECT_FALSE(to_json(spec).contains("output"));
  spec.output = OutputActivation::sigmoid;
  EXPECT_EQ(to_json(spec)["output"], "sigmoid");
  EXPECT_EQ(*parse_model_spec(to_json(spec), "x"), spec);
  spec.output = OutputActivation::linear;
  EXPECT_FALSE(parse_model_spec(to_json(spec), "x")) << "a number has no labels";
  spec.labels.clear();
  EXPECT_EQ(*parse_model_spec(to_json(spec), "x"), spec);
}

TEST(SpecJson, OnlyClassifiersHaveAnotherOutput) {
  EXPECT_EQ(parse_error_after([](Json& json) { json["output"] = "tanh"; }),
            "m.skim: spec.output is 'tanh', it must be one of: softmax, sigmoid, linear");
  ModelSpec spec = unusual_spec();
  spec.net = NetKind::cloze;
  spec.labels.clear();
  spec.pooling = Pooling::last;
  spec.output = OutputActivation::sigmoid;
  const auto parsed = parse_model_spec(to_json(spec), "x");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "x: output must be softmax unless net is classifier");
}

TEST(SpecJson, RoundTripKeepsEveryName) {
  const auto check_names = []<class E>(E) {
    for (const auto& [value, name] : kNames<E>) {
      EXPECT_EQ(to_string(value), name);
      EXPECT_EQ(*enum_from_name<E>(name, "x"), value);
    }
    return kNames<E>.size();
  };
  EXPECT_EQ(check_names(Cell{}), 3U);
  EXPECT_EQ(check_names(ReaderKind{}), 5U);
  EXPECT_EQ(check_names(SmallInput{}), 2U);
  EXPECT_EQ(check_names(Decision{}), 3U);
  EXPECT_EQ(check_names(Pooling{}), 4U);
  EXPECT_EQ(check_names(WeightType{}), 3U);
  EXPECT_EQ(check_names(TokenizerKind{}), 3U);
  EXPECT_EQ(check_names(Policy::Rule{}), 3U);
}

TEST(SpecJson, RoundTripKeepsTheJumpSpec) {
  ModelSpec spec = unusual_spec();
  spec.reader.kind = ReaderKind::lstm_jump;
  spec.reader.skim_sizes.clear();
  spec.reader.jump = {.tokens_per_jump = 7, .max_jump = 10, .max_jumps = 4};
  EXPECT_EQ(*parse_reader_spec(to_json(spec.reader), "x"), spec.reader);
  EXPECT_FALSE(to_json(spec.reader)["jump"].contains("sentence_end_ids"))
      << "written only when it is used";
  spec.reader.jump.sentence_end_ids = {3, 1};
  EXPECT_EQ(*parse_reader_spec(to_json(spec.reader), "x"), spec.reader);
  Json json = to_json(spec.reader);
  json["jump"]["sentence_end_ids"] = "no list";
  EXPECT_FALSE(parse_reader_spec(json, "x").has_value());
  json = to_json(spec.reader);
  json["jump"].erase("max_jump");
  EXPECT_FALSE(parse_reader_spec(json, "x").has_value());
  json = to_json(spec.reader);
  json["jump"]["tokens_per_jump"] = 0;
  EXPECT_FALSE(parse_reader_spec(json, "x").has_value());
}

TEST(SpecJson, SubwordsAreWrittenOnlyWhenThereAreAny) {
  ModelSpec spec = unusual_spec();
  EXPECT_FALSE(to_json(spec).contains("subwords"));
  spec.subwords = {2, 5, 1000};
  EXPECT_EQ(*parse_model_spec(to_json(spec), "x"), spec);
}

TEST(SpecJson, InvalidSubwordsAreRejected) {
  const auto error_of = [](Json subwords) {
    return parse_error_after([&](Json& json) { json["subwords"] = std::move(subwords); });
  };
  EXPECT_THAT(error_of({{"min_length", 3}, {"max_length", 6}, {"num_buckets", 0}}),
              HasSubstr("spec.subwords.num_buckets must be at least 1"));
  EXPECT_THAT(error_of({{"min_length", 4}, {"max_length", 3}, {"num_buckets", 9}}),
              HasSubstr("subwords.max_length is 3, it must be from 4 to 16"));
  EXPECT_THAT(error_of({{"min_length", 0}, {"max_length", 3}, {"num_buckets", 9}}),
              HasSubstr("subwords.min_length is 0"));
  EXPECT_THAT(error_of({{"min_length", 3}, {"num_buckets", 9}}),
              HasSubstr("spec.subwords.max_length is missing"));
  EXPECT_THAT(error_of(7), HasSubstr("spec.subwords"));
}

TEST(SpecJson, UnknownNameErrorListsTheAllowedNames) {
  EXPECT_EQ(parse_error_after([](Json& json) { json["reader"]["cell"] = "qrnn"; }),
            "m.skim: spec.reader.cell is 'qrnn', it must be one of: lstm, gru, rnn");
}

TEST(SpecJson, MissingFieldIsNamed) {
  for (const std::string& key : list_keys(to_json(unusual_spec()))) {
    EXPECT_EQ(parse_error_after([&](Json& json) { json.erase(key); }),
              "m.skim: spec." + key + " is missing");
  }
  for (const std::string& key : list_keys(to_json(unusual_spec().reader))) {
    EXPECT_EQ(parse_error_after([&](Json& json) { json["reader"].erase(key); }),
              "m.skim: spec.reader." + key + " is missing");
  }
}

TEST(SpecJson, FieldOfWrongTypeIsNamed) {
  for (const std::string& key : list_keys(to_json(unusual_spec()))) {
    EXPECT_THAT(parse_error_after([&](Json& json) { json[key] = nullptr; }),
                HasSubstr("m.skim: spec." + key + " must be"));
  }
  EXPECT_THAT(parse_error_after([](Json& json) { json["labels"][1] = 3; }),
              HasSubstr("spec.labels[1] must be a string"));
  EXPECT_THAT(parse_error_after([](Json& json) { json["reader"]["skim_sizes"][0] = 1e10; }),
              HasSubstr("spec.reader.skim_sizes[0] must be a whole number"));
}

TEST(SpecJson, InvalidSpecIsRejected) {
  EXPECT_THAT(parse_error_after([](Json& json) { json["reader"]["hidden_size"] = 0; }),
              HasSubstr("m.skim: spec: reader.hidden_size is 0"));
}

TEST(SpecJson, UnknownFieldsAreIgnored) {
  EXPECT_EQ(parse_error_after([](Json& json) { json["colour"] = "blue"; }), "(no error)");
}

TEST(SpecText, EqualsTheJsonOfAFile) {
  const ModelSpec spec = unusual_spec();
  EXPECT_EQ(to_json_text(spec), to_text(to_json(spec)));
  EXPECT_EQ(reader_spec_from_json(to_json_text(spec.reader)).value(), spec.reader);
}

TEST(SpecText, InvalidTextIsAnError) {
  EXPECT_THAT(reader_spec_from_json("{").error().message, HasSubstr("spec"));
  EXPECT_THAT(reader_spec_from_json("{}").error().message, HasSubstr("spec.kind is missing"));
}

TEST(PolicyJson, RoundTripIsExact) {
  const Policy policy{.threshold = 0.1F, .rule = Policy::Rule::sample, .seed = UINT64_MAX};
  const auto back = parse_policy(*parse_json(to_text(to_json(policy)), "x"), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, policy);
}

TEST(PolicyJson, ThresholdOutsideZeroToOneIsAnError) {
  Json json = to_json(Policy{});
  json["threshold"] = 1.5;
  EXPECT_EQ(parse_policy(json, "p").error().message, "p.threshold must be from 0 to 1");
}

TEST(CalibrationJson, RoundTripIsExact) {
  const Calibration calibration{.data = "dev.tsv", .points = {{0, 1.01}, {0.1, 0.7}, {1, 0.7}}};
  const auto back = parse_calibration(*parse_json(to_text(to_json(calibration)), "x"), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, calibration);
}

TEST(CalibrationJson, ATemperatureOfOneIsNotWritten) {
  Calibration calibration{.data = "dev.tsv"};
  EXPECT_FALSE(to_json(calibration).contains("temperature"));
  calibration.temperature = 1.3125;
  const auto back = parse_calibration(*parse_json(to_text(to_json(calibration)), "x"), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, calibration);
}

TEST(CalibrationCheck, RejectsAnInvalidTemperature) {
  for (const double temperature : {0.0, -1.0, 0.04, 21.0, std::nan("")}) {
    const auto result = check(Calibration{.temperature = temperature});
    ASSERT_FALSE(result) << temperature;
    EXPECT_THAT(result.error().message, HasSubstr("expected 0.05 to 20"));
  }
  const auto text = parse_calibration(
      *parse_json(R"({"data":"","points":[],"temperature":"warm"})", "x"), "calibration");
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("calibration.temperature"));
}

TEST(CalibrationCheck, OnlyAClassifierHasATemperature) {
  ModelSpec spec;
  const Calibration warm{.temperature = 2};
  EXPECT_TRUE(check(warm, spec));
  spec.output = OutputActivation::sigmoid;
  EXPECT_FALSE(check(warm, spec));
  spec.output = OutputActivation::softmax;
  spec.net = NetKind::cloze;
  EXPECT_FALSE(check(warm, spec));
  EXPECT_TRUE(check(Calibration{}, spec));
}

TEST(CalibrationCheck, NamesTheInvalidPoint) {
  const auto check_error = [](std::vector<Calibration::Point> points) {
    const auto result = check(Calibration{.data = "", .points = std::move(points)});
    return result ? "(no error)" : result.error().message;
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check_error({}), "(no error)");
  EXPECT_THAT(check_error({{1.5, 1}}), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(check_error({{kNan, 1}}), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(check_error({{0, kNan}}), HasSubstr("has work"));
  EXPECT_THAT(check_error({{0.5, 1}, {0.5, 0.5}}), HasSubstr("does not exceed"));
  EXPECT_THAT(check_error({{0.25, 0.5}, {0.5, 0.6}}), HasSubstr("threshold 0.5"));
}

}  // namespace
}  // namespace skim
