#include "eval/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/sample_texts.h"
#include "eval/sweep.h"

namespace skim {
namespace {

TestSet sample_set(std::size_t count) {
  return make_test_set(sample_data(count), sample_spec()).value();
}

EvaluateOptions untimed(Policy policy = {}) {
  EvaluateOptions options;
  options.policy = policy;
  options.threads = 1;
  options.timing.reset();
  return options;
}

TEST(Evaluate, AccuracyIsTheShareOfTheConfusionsDiagonal) {
  const auto report = evaluate(sample_model(), sample_set(50), untimed());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->examples, 50U);
  const auto right = report->confusion.count(0, 0) + report->confusion.count(1, 1);
  EXPECT_DOUBLE_EQ(report->metrics.accuracy, static_cast<double>(right) / 50);
  EXPECT_EQ(report->confusion.support(0) + report->confusion.support(1), 50U);
}

TEST(Evaluate, DescribesTheMachine) {
  const Machine machine = this_machine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_FALSE(machine.simd.empty());
  EXPECT_NE(to_string(machine).find(machine.simd), std::string::npos);
}

TEST(Evaluate, ResultDoesNotDependOnTheNumberOfThreads) {
  EvaluateOptions two = untimed();
  two.threads = 2;
  const auto one = evaluate(sample_model(), sample_set(50), untimed());
  const auto both = evaluate(sample_model(), sample_set(50), two);
  EXPECT_EQ(to_json(*one), to_json(*both));
}

TEST(Evaluate, JsonHasTheDocumentedFields) {
  EvaluateOptions options = untimed();
  options.timing = TimingOptions{0.02, 2};
  const auto report = evaluate(sample_model(), sample_set(20), options);
  ASSERT_TRUE(report) << report.error().message;
  const Json json = to_json(*report);
  for (const char* field :
       {"examples", "accuracy", "skim_rate", "flop_reduction", "speedup", "microseconds", "model",
        "data", "threshold", "seed", "machine", "version"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  for (const char* field : {"paper", "counted", "executed"}) {
    EXPECT_TRUE(json["flop_reduction"].contains(field)) << field;
  }
  for (const char* field : {"per_word", "per_text_p50", "per_text_p99"}) {
    EXPECT_GT(json["microseconds"][field].get<double>(), 0) << field;
  }
}

TEST(Evaluate, MeasuresEarlyAnswersOfLongTexts) {
  EvaluateOptions options = untimed();
  options.early_answers = true;
  EXPECT_TRUE(evaluate(sample_model(), sample_set(20), options)->early_answers.empty());
  TestSet set = sample_set(2);
  for (int i = 0; i < 299; ++i) set.queries[1].text += " word" + std::to_string(i % 7);
  ModelDraft draft = sample_draft(sample_spec());
  draft.calibration.temperature = 0.05;
  const auto report = evaluate(make_model(draft), set, options);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->early_answers.size(), 5U);
  EXPECT_GT(report->early_answers.front().unseen_share, 0);
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_LE(report->early_answers[i].unseen_share, report->early_answers[i - 1].unseen_share);
  options.policy.confident = 0.8F;
  EXPECT_EQ(evaluate(make_model(draft), set, options)->unseen_share,
            report->early_answers.front().unseen_share);
}

TEST(Evaluate, WithoutTimingSpeedIsNull) {
  const Json json = to_json(*evaluate(sample_model(), sample_set(5), untimed()));
  EXPECT_TRUE(json["speedup"].is_null());
  EXPECT_TRUE(json["microseconds"].is_null());
}

TEST(Report, ThresholdIsNullWhenThePolicyDoesNotUseOne) {
  Policy policy;
  policy.rule = Policy::Rule::argmax;
  EXPECT_TRUE(threshold_json(policy).is_null());
  EXPECT_EQ(threshold_json(Policy{}), 0.5);
}

TEST(RoundSignificant, DropsFloatNoise) {
  EXPECT_EQ(round_significant(static_cast<double>(0.1F)), 0.1);
  EXPECT_EQ(round_significant(1234567.0), 1234570.0);
  EXPECT_EQ(round_significant(0), 0);
}

TEST(Sweep, RangesFromReadingAllToSkimmingAll) {
  SweepOptions options;
  options.thresholds = default_thresholds();
  options.threads = 1;
  const auto rows = sweep(sample_model(), sample_set(30), options);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), options.thresholds.size());
  EXPECT_EQ(rows->front().skim_rate, 0);
  EXPECT_EQ(rows->back().skim_rate, 1);
  EXPECT_GT(rows->back().costs.counted.reduction(), rows->front().costs.counted.reduction());
}

TEST(Sweep, ItsRowsAreWhatEvaluationFinds) {
  SweepOptions options;
  options.thresholds = {0.5F};
  options.threads = 1;
  const auto rows = sweep(sample_model(), sample_set(30), options);
  const auto report = evaluate(sample_model(), sample_set(30), untimed());
  EXPECT_EQ(rows->front().metrics.accuracy, report->metrics.accuracy);
  EXPECT_EQ(rows->front().skim_rate, report->skim_rate);
  EXPECT_EQ(rows->front().costs, report->costs);
}

TEST(DefaultThresholds, ContainBothEndsAndTheArgmaxDecision) {
  EXPECT_THAT(default_thresholds(), testing::IsSupersetOf({0.0F, 0.5F, 1.0F}));
}

TEST(CpuName, IsFoundInTheSystemsText) {
  EXPECT_EQ(cpu_name("processor\t: 0\nmodel name\t: Some CPU 3000\nmodel name\t: other\n"),
            "Some CPU 3000");
  EXPECT_EQ(cpu_name("nothing of the kind"), "");
}

}  // namespace
}  // namespace skim
