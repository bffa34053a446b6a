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
#include "tests/support/planted_model.h"
#include "tests/support/random_draft.h"
#include "tests/support/shapes.h"

namespace skim {
namespace {

using testing::HasSubstr;

PlantedModelOptions tiny() {
  PlantedModelOptions options;
  options.hidden = 24;
  options.word_width = 12;
  return options;
}

Model planted() { return model_of(planted_draft(tiny()).value()); }

Model calibrated(std::vector<Calibration::Point> points) {
  ModelDraft draft = random_draft(shapes(1)[16], 1);  // a skimming one
  draft.calibration = {"data", std::move(points)};
  return model_of(draft);
}

TEST(Model, LoadsFromAFile) {
  const auto path = std::filesystem::path(testing::TempDir()) / "model_test.skim";
  ASSERT_TRUE(write_model_file(planted_draft(tiny()).value(), path).has_value());
  const Result<Model> model = Model::load(path);
  ASSERT_TRUE(model.has_value()) << model.error().message;
  EXPECT_EQ(model->name(), path.string());
  Session session(*model);
  const Result<Reading> reading = session.ask({"What a wonderful film!", {}, {}});
  EXPECT_EQ(reading.value().answer.text, "positive");
  std::filesystem::remove(path);
}

TEST(Model, NamesTheFileThatIsMissing) {
  const Result<Model> model = Model::load("no/such/model.skim");
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().fault, Fault::io);
  EXPECT_THAT(model.error().message, HasSubstr("no/such/model.skim"));
}

TEST(Model, InterpolatesTheThresholdOfABudget) {
  const Model model = calibrated({{0, 1.0}, {0.5, 0.5}, {1, 0.1}});
  EXPECT_FLOAT_EQ(model.threshold_for(1.0).value(), 0.0F);
  EXPECT_FLOAT_EQ(model.threshold_for(0.75).value(), 0.25F);
  EXPECT_FLOAT_EQ(model.threshold_for(0.5).value(), 0.5F);
  EXPECT_FLOAT_EQ(model.threshold_for(0.3).value(), 0.75F);
  EXPECT_FLOAT_EQ(model.threshold_for(0.1).value(), 1.0F);
}

TEST(Model, GivesAThresholdWhereTheWorkDoesNotFall) {
  const Model model = calibrated({{0, 1.0}, {0.4, 0.5}, {0.6, 0.5}, {1, 0.5}});
  EXPECT_FLOAT_EQ(model.threshold_for(0.5).value(), 0.4F);
}

TEST(Model, ReadsEverythingWhenTheBudgetIsMoreThanThat) {
  EXPECT_FLOAT_EQ(calibrated({{0.1, 0.9}, {1, 0.1}}).threshold_for(1.0).value(), 0.1F);
}

TEST(Model, SaysWhichBudgetItCanKeep) {
  const Result<float> threshold = calibrated({{0, 1.0}, {1, 0.12}}).threshold_for(0.05);
  ASSERT_FALSE(threshold.has_value());
  EXPECT_THAT(threshold.error().message, HasSubstr("0.120"));
}

TEST(Model, SaysHowToCalibrate) {
  const Result<float> threshold = calibrated({}).threshold_for(0.5);
  ASSERT_FALSE(threshold.has_value());
  EXPECT_THAT(threshold.error().message, HasSubstr("skim tune"));
}

TEST(Model, RefusesBudgetsThatAreNoShares) {
  const Model model = calibrated({{0, 1.0}, {1, 0.1}});
  for (const double budget : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(model.threshold_for(budget).error().fault, Fault::argument);
  }
}

TEST(Model, PlainTwinReadsEveryWordAndIsItsOwnTwin) {
  const Model plain = planted().plain().value();
  EXPECT_EQ(plain.spec().reader.kind, ReaderKind::full);
  EXPECT_FALSE(plain.threshold_for(0.5).has_value());
  Session session(plain.plain().value());
  const Reading reading = session.ask({"the plot was not bad", {}, {}}).value();
  for (const Step& step : reading.trace[0].steps) EXPECT_EQ(step.width, 24);
  EXPECT_EQ(skim_rate(reading.trace), 0.0);
}

TEST(Session, AnswersWithScoresWordsTraceAndCosts) {
  const Model model = planted();
  Session session(model);
  const std::string text = "The plot wasn't good.";
  const Reading reading = session.ask({text, {}, {}}).value();
  EXPECT_EQ(reading.answer.text, "negative");
  EXPECT_EQ(reading.answer.index, 0);
  EXPECT_FLOAT_EQ(reading.answer.score, reading.scores[0]);
  ASSERT_EQ(reading.words.size(), 6U);
  EXPECT_EQ(text.substr(reading.words[3].begin, 3), "n't");
  ASSERT_EQ(reading.trace.size(), 1U);
  EXPECT_EQ(reading.trace[0].reader, "0.forward");
  EXPECT_EQ(reading.trace[0].hidden, 24);
  std::vector<int> widths;
  for (const Step& step : reading.trace[0].steps) widths.push_back(step.width);
  EXPECT_EQ(widths, (std::vector<int>{10, 10, 10, 24, 24, 10}));
  EXPECT_GT(reading.costs.counted.reduction(), 1.0);
  EXPECT_GT(reading.costs.executed.full_flops, 0);
}

TEST(Session, NamesItsPassesByLayerAndDirection) {
  PlantedModelOptions options = tiny();
  options.layers = 2;
  options.bidirectional = true;
  Session session(model_of(planted_draft(options).value()));
  const Reading reading = session.ask({"a wonderful film", {}, {}}).value();
  std::vector<std::string> names;
  for (const Pass& pass : reading.trace) names.push_back(pass.reader);
  EXPECT_THAT(names, testing::ElementsAre("0.forward", "0.backward", "1.forward", "1.backward"));
}

TEST(Session, RefusesThresholdsThatAreNone) {
  Session session(planted());
  for (const float threshold : {-0.01F, 1.01F, std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity()}) {
    const Result<Reading> reading = session.ask({"text", {}, {}}, {.read_above = threshold});
    ASSERT_FALSE(reading.has_value());
    EXPECT_EQ(reading.error().fault, Fault::argument);
    EXPECT_EQ(session.begin({.read_above = threshold}).error().fault, Fault::argument);
  }
}

TEST(Session, OfAClassifierTakesNoQuestionAndNoChoices) {
  Session session(planted());
  EXPECT_THAT(session.ask({"text", "why?", {}}).error().message, HasSubstr("question"));
  EXPECT_THAT(session.ask({"text", {}, {"a", "b"}}).error().message, HasSubstr("choices"));
}

TEST(Session, PushesWordsOnlyAfterBegin) {
  Session session(planted());
  EXPECT_EQ(session.push("film").error().fault, Fault::argument);
  EXPECT_EQ(session.answer().error().fault, Fault::argument);
  ASSERT_TRUE(session.begin().has_value());
  EXPECT_EQ(session.push("").error().fault, Fault::argument);
  EXPECT_TRUE(session.push("film").has_value());
}

TEST(Session, BeginForgetsWhatWasPushed) {
  Session session(planted());
  ASSERT_TRUE(session.begin().has_value());
  ASSERT_TRUE(session.push("terrible").has_value());
  ASSERT_TRUE(session.begin().has_value());
  ASSERT_TRUE(session.push("wonderful").has_value());
  EXPECT_EQ(session.answer().value().answer.text, "positive");
  EXPECT_EQ(session.answer().value().words.size(), 1U);
}

TEST(Session, QuestionsInBetweenDoNotDisturbPushedWords) {
  Session session(planted());
  ASSERT_TRUE(session.begin().has_value());
  ASSERT_TRUE(session.push("wonderful").has_value());
  EXPECT_EQ(session.ask({"terrible and awful", {}, {}}).value().answer.text, "negative");
  EXPECT_EQ(session.answer().value().answer.text, "positive");
}

TEST(Session, ThatReadsBothWaysTakesNoSingleWords) {
  PlantedModelOptions options = tiny();
  options.bidirectional = true;
  Session session(model_of(planted_draft(options).value()));
  EXPECT_EQ(session.begin().error().fault, Fault::argument);
}

TEST(Verify, NamesTheProbeWhoseAnswerDiffers) {
  ModelDraft draft = planted_draft(tiny()).value();
  draft.probes[2].index = 1 - draft.probes[2].index;
  const VerifyReport report = verify(model_of(draft)).value();
  EXPECT_EQ(report.probes, 4);
  EXPECT_EQ(report.failed, 1);
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report.messages, testing::ElementsAre(HasSubstr("probe 2: answers")));
}

TEST(Verify, ToleratesScoresAsFarApartAsRoundingAndNoFarther) {
  ModelDraft draft = planted_draft(tiny()).value();
  draft.probes[0].scores[0] += 5e-5F;
  draft.probes[1].scores[0] += 5e-4F;
  const VerifyReport report = verify(model_of(draft)).value();
  EXPECT_THAT(report.messages, testing::ElementsAre(HasSubstr("probe 1: a score differs")));
  EXPECT_NEAR(report.worst_score_error, 5e-4, 1e-6);  // rounding of the stored score
}

TEST(Verify, NamesTheWordThatIsReadOtherwise) {
  ModelDraft draft = planted_draft(tiny()).value();
  Step& step = draft.probes[0].trace[0].steps[3];
  step.width = static_cast<std::uint16_t>(step.width == 24 ? 10 : 24);
  const VerifyReport report = verify(model_of(draft)).value();
  EXPECT_THAT(report.messages, testing::ElementsAre(HasSubstr("pass 0.forward, word 3")));
}

TEST(Verify, LetsADecisionAtTheThresholdFallEitherWay) {
  ModelDraft draft = planted_draft(tiny()).value();
  Step& step = draft.probes[0].trace[0].steps[3];
  step.width = static_cast<std::uint16_t>(step.width == 24 ? 10 : 24);
  step.p_read = 0.50005F;
  EXPECT_TRUE(verify(model_of(draft)).value().ok());
}

TEST(Verify, FindsDamagedWeights) {
  std::vector<std::byte> bytes = to_bytes(planted_draft(tiny()).value()).value();
  bytes.back() ^= std::byte{1};
  const Result<Model> model = Model::from_bytes(std::move(bytes), "damaged.skim");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const Result<VerifyReport> report = verify(*model);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().fault, Fault::format);
  EXPECT_THAT(report.error().message, HasSubstr("damaged.skim"));
}

TEST(Verify, IsForTheModelAndNotForItsPlainTwin) {
  EXPECT_FALSE(verify(planted().plain().value()).has_value());
}

}  // namespace
}  // namespace skim
