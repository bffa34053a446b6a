// Models, sessions and verification through the public headers.
#include "skim/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "skim/session.h"
#include "skim/verify.h"
#include "tests/support/model_specs.h"
#include "tests/support/planted_model.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

using testing::HasSubstr;

PlantedModelOptions tiny_options() {
  PlantedModelOptions options;
  options.hidden_size = 24;
  options.embedding_size = 12;
  return options;
}

Model planted_model() { return load_model(planted_draft(tiny_options()).value()); }

Model calibrated_model(std::vector<Calibration::Point> points) {
  ModelDraft draft = random_draft(sampled_model_specs(1)[16], 1);  // a skim reader
  draft.calibration = {"data", std::move(points)};
  return load_model(draft);
}

TEST(Model, LoadsFromAFile) {
  const auto path = std::filesystem::path(testing::TempDir()) / "model_test.skim";
  ASSERT_TRUE(write_model_file(planted_draft(tiny_options()).value(), path).has_value());
  const Result<Model> model = Model::load(path);
  ASSERT_TRUE(model.has_value()) << model.error().message;
  EXPECT_EQ(model->name(), path.string());
  Session session(*model);
  const Result<Reading> reading = session.read({"What a wonderful film!", {}, {}});
  EXPECT_EQ(reading.value().answer.text, "positive");
  std::filesystem::remove(path);
}

TEST(Model, ReportsAMissingFile) {
  const Result<Model> model = Model::load("no/such/model.skim");
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().fault, Fault::io);
  EXPECT_THAT(model.error().message, HasSubstr("no/such/model.skim"));
}

TEST(Model, InterpolatesTheThresholdOfABudget) {
  const Model model = calibrated_model({{0, 1.0}, {0.5, 0.5}, {1, 0.1}});
  EXPECT_FLOAT_EQ(model.threshold_for(1.0).value(), 0.0F);
  EXPECT_FLOAT_EQ(model.threshold_for(0.75).value(), 0.25F);
  EXPECT_FLOAT_EQ(model.threshold_for(0.5).value(), 0.5F);
  EXPECT_FLOAT_EQ(model.threshold_for(0.3).value(), 0.75F);
  EXPECT_FLOAT_EQ(model.threshold_for(0.1).value(), 1.0F);
}

TEST(Model, HandlesACalibrationWithConstantWork) {
  const Model model = calibrated_model({{0, 1.0}, {0.4, 0.5}, {0.6, 0.5}, {1, 0.5}});
  EXPECT_FLOAT_EQ(model.threshold_for(0.5).value(), 0.4F);
}

TEST(Model, UsesTheLowestThresholdWhenTheBudgetExceedsAllWork) {
  EXPECT_FLOAT_EQ(calibrated_model({{0.1, 0.9}, {1, 0.1}}).threshold_for(1.0).value(), 0.1F);
}

TEST(Model, ReportsTheMinimumBudget) {
  const Result<float> threshold = calibrated_model({{0, 1.0}, {1, 0.12}}).threshold_for(0.05);
  ASSERT_FALSE(threshold.has_value());
  EXPECT_THAT(threshold.error().message, HasSubstr("0.120"));
}

TEST(Model, SuggestsCalibrationWhenThereIsNone) {
  const Result<float> threshold = calibrated_model({}).threshold_for(0.5);
  ASSERT_FALSE(threshold.has_value());
  EXPECT_THAT(threshold.error().message, HasSubstr("skim tune"));
}

TEST(Model, RejectsInvalidBudgets) {
  const Model model = calibrated_model({{0, 1.0}, {1, 0.1}});
  for (const double budget : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(model.threshold_for(budget).error().fault, Fault::argument);
  }
}

TEST(Model, DenseBaselineReadsEveryWordAndIsItsOwnBaseline) {
  const Model dense = planted_model().dense().value();
  EXPECT_EQ(dense.spec().reader.kind, ReaderKind::dense);
  EXPECT_FALSE(dense.threshold_for(0.5).has_value());
  Session session(dense.dense().value());
  const Reading reading = session.read({"the plot was not bad", {}, {}}).value();
  for (const Step& step : reading.trace[0].steps) EXPECT_EQ(step.width, 24);
  EXPECT_EQ(skim_rate(reading.trace), 0.0);
}

TEST(Session, ReturnsScoresWordsTraceAndCosts) {
  const Model model = planted_model();
  Session session(model);
  const std::string text = "The plot wasn't good.";
  const Reading reading = session.read({text, {}, {}}).value();
  EXPECT_EQ(reading.answer.text, "negative");
  EXPECT_EQ(reading.answer.index, 0);
  EXPECT_FLOAT_EQ(reading.answer.score, reading.scores[0]);
  ASSERT_EQ(reading.words.size(), 6U);
  EXPECT_EQ(text.substr(reading.words[3].begin, 3), "n't");
  ASSERT_EQ(reading.trace.size(), 1U);
  EXPECT_EQ(reading.trace[0].reader, "0.forward");
  EXPECT_EQ(reading.trace[0].hidden_size, 24);
  std::vector<int> widths;
  for (const Step& step : reading.trace[0].steps) widths.push_back(step.width);
  EXPECT_EQ(widths, (std::vector<int>{10, 10, 10, 24, 24, 10}));
  EXPECT_GT(reading.costs.counted.reduction(), 1.0);
  EXPECT_GT(reading.costs.executed.dense_flops, 0);
}

TEST(Session, NamesPassesByLayerAndDirection) {
  PlantedModelOptions options = tiny_options();
  options.num_layers = 2;
  options.bidirectional = true;
  Session session(load_model(planted_draft(options).value()));
  const Reading reading = session.read({"a wonderful film", {}, {}}).value();
  std::vector<std::string> names;
  for (const Pass& pass : reading.trace) names.push_back(pass.reader);
  EXPECT_THAT(names, testing::ElementsAre("0.forward", "0.backward", "1.forward", "1.backward"));
}

TEST(Session, RejectsInvalidThresholds) {
  Session session(planted_model());
  for (const float threshold : {-0.01F, 1.01F, std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity()}) {
    const Result<Reading> reading = session.read({"text", {}, {}}, {.threshold = threshold});
    ASSERT_FALSE(reading.has_value());
    EXPECT_EQ(reading.error().fault, Fault::argument);
    EXPECT_EQ(session.begin({.threshold = threshold}).error().fault, Fault::argument);
  }
}

TEST(Session, ClassifierRejectsQuestionsAndChoices) {
  Session session(planted_model());
  EXPECT_THAT(session.read({"text", "why?", {}}).error().message, HasSubstr("question"));
  EXPECT_THAT(session.read({"text", {}, {"a", "b"}}).error().message, HasSubstr("choices"));
}

TEST(Session, PushRequiresBegin) {
  Session session(planted_model());
  EXPECT_EQ(session.push("film").error().fault, Fault::argument);
  EXPECT_EQ(session.answer().error().fault, Fault::argument);
  ASSERT_TRUE(session.begin().has_value());
  EXPECT_EQ(session.push("").error().fault, Fault::argument);
  EXPECT_TRUE(session.push("film").has_value());
}

TEST(Session, BeginResetsTheStream) {
  Session session(planted_model());
  ASSERT_TRUE(session.begin().has_value());
  ASSERT_TRUE(session.push("terrible").has_value());
  ASSERT_TRUE(session.begin().has_value());
  ASSERT_TRUE(session.push("wonderful").has_value());
  EXPECT_EQ(session.answer().value().answer.text, "positive");
  EXPECT_EQ(session.answer().value().words.size(), 1U);
}

TEST(Session, ReadDoesNotInterfereWithPushedWords) {
  Session session(planted_model());
  ASSERT_TRUE(session.begin().has_value());
  ASSERT_TRUE(session.push("wonderful").has_value());
  EXPECT_EQ(session.read({"terrible and awful", {}, {}}).value().answer.text, "negative");
  EXPECT_EQ(session.answer().value().answer.text, "positive");
}

TEST(Session, BidirectionalModelRejectsStreaming) {
  PlantedModelOptions options = tiny_options();
  options.bidirectional = true;
  Session session(load_model(planted_draft(options).value()));
  EXPECT_EQ(session.begin().error().fault, Fault::argument);
}

TEST(Verify, ReportsTheProbeWhoseAnswerDiffers) {
  ModelDraft draft = planted_draft(tiny_options()).value();
  draft.probes[2].index = 1 - draft.probes[2].index;
  const VerifyReport report = verify(load_model(draft)).value();
  EXPECT_EQ(report.probes, 4);
  EXPECT_EQ(report.failed, 1);
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report.messages, testing::ElementsAre(HasSubstr("probe 2: answers")));
}

TEST(Verify, ToleratesRoundingErrorsOfScoresOnly) {
  ModelDraft draft = planted_draft(tiny_options()).value();
  draft.probes[0].scores[0] += 5e-5F;
  draft.probes[1].scores[0] += 5e-4F;
  const VerifyReport report = verify(load_model(draft)).value();
  EXPECT_THAT(report.messages, testing::ElementsAre(HasSubstr("probe 1: a score differs")));
  EXPECT_NEAR(report.max_score_error, 5e-4, 1e-6);  // rounding of the stored score
}

TEST(Verify, ReportsTheWordWhoseDecisionDiffers) {
  ModelDraft draft = planted_draft(tiny_options()).value();
  Step& step = draft.probes[0].trace[0].steps[3];
  step.width = static_cast<std::uint16_t>(step.width == 24 ? 10 : 24);
  const VerifyReport report = verify(load_model(draft)).value();
  EXPECT_THAT(report.messages, testing::ElementsAre(HasSubstr("pass 0.forward, word 3")));
}

TEST(Verify, ToleratesAFlippedDecisionAtTheThreshold) {
  ModelDraft draft = planted_draft(tiny_options()).value();
  Step& step = draft.probes[0].trace[0].steps[3];
  step.width = static_cast<std::uint16_t>(step.width == 24 ? 10 : 24);
  step.p_read = 0.50005F;
  EXPECT_TRUE(verify(load_model(draft)).value().ok());
}

TEST(Verify, DetectsDamagedWeights) {
  std::vector<std::byte> bytes = to_bytes(planted_draft(tiny_options()).value()).value();
  bytes.back() ^= std::byte{1};
  const Result<Model> model = Model::from_bytes(std::move(bytes), "damaged.skim");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const Result<VerifyReport> report = verify(*model);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().fault, Fault::format);
  EXPECT_THAT(report.error().message, HasSubstr("damaged.skim"));
}

TEST(Model, VerifiesTheChecksumOfTheWeightsOnRequest) {
  std::vector<std::byte> bytes = to_bytes(planted_draft(tiny_options()).value()).value();
  const LoadOptions options{.verify_checksum = true};
  EXPECT_TRUE(Model::from_bytes(bytes, "m.skim", options).has_value());
  bytes.back() ^= std::byte{1};
  const Result<Model> damaged = Model::from_bytes(std::move(bytes), "damaged.skim", options);
  ASSERT_FALSE(damaged.has_value());
  EXPECT_EQ(damaged.error().fault, Fault::format);
  EXPECT_THAT(damaged.error().message, HasSubstr("damaged.skim: the weights do not match"));
}

TEST(Verify, RejectsTheDenseBaseline) {
  EXPECT_FALSE(verify(planted_model().dense().value()).has_value());
}

}  // namespace
}  // namespace skim
