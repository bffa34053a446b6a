#include "eval/confidence.h"

#include <gtest/gtest.h>

#include "eval/evaluate.h"
#include "eval/sample_texts.h"

namespace skim {
namespace {

Result<Report> report_on(const Model& model, std::size_t texts, std::optional<double> abstain) {
  EvaluateOptions options;
  options.timing.reset();
  options.abstain = abstain;
  return evaluate(model, make_test_set(sample_data(texts), sample_spec()).value(), options);
}

TEST(Confidence, AnswersAtFullCoverageHaveTheAccuracyOfTheReport) {
  const auto report = report_on(sample_model(), 50, 0.0);
  ASSERT_TRUE(report) << report.error().message;
  const ConfidenceReport& confidence = *report->confidence;
  EXPECT_DOUBLE_EQ(confidence.risk_coverage.rows.front().accuracy, report->metrics.accuracy);
  EXPECT_DOUBLE_EQ(confidence.abstention->accuracy, report->metrics.accuracy);
  EXPECT_EQ(confidence.abstention->coverage, 1);
  std::size_t count = 0;
  for (const ReliabilityBin& bin : confidence.bins) count += bin.count;
  EXPECT_EQ(count, 50U);
}

TEST(Confidence, JsonHasTheDocumentedFields) {
  const Json json = to_json(*report_on(sample_model(), 20, 0.5));
  for (const char* field : {"temperature", "ece", "brier", "nll", "bins"})
    EXPECT_TRUE(json["calibration"].contains(field)) << field;
  EXPECT_EQ(json["calibration"]["bins"].size(), 15U);
  EXPECT_EQ(json["risk_coverage"]["rows"].size(), 6U);
  EXPECT_TRUE(json["risk_coverage"].contains("aurc"));
  for (const char* field : {"threshold", "coverage", "accuracy"})
    EXPECT_TRUE(json["abstention"].contains(field)) << field;
  EXPECT_FALSE(to_json(*report_on(sample_model(), 20, {})).contains("abstention"));
}

TEST(Confidence, TheMeanScoresOfATextAreThoseOfTheFormulas) {
  Reading reading;
  reading.scores = {0.25F, 0.75F};
  reading.answer = {"good", 1, 0.75F};
  ConfidenceMeter meter;
  meter.add(reading, 1);
  meter.add(reading, 0);
  const ConfidenceReport report = meter.report(1, {});
  EXPECT_DOUBLE_EQ(report.brier, (2 * 0.0625 + 2 * 0.5625) / 2);
  EXPECT_NEAR(report.ece, 0.25, 1e-12);
}

TEST(Confidence, NoTextsGiveZeros) {
  const ConfidenceReport report = ConfidenceMeter().report(1, 0.5);
  EXPECT_EQ(report.ece, 0);
  EXPECT_EQ(report.nll, 0);
  EXPECT_EQ(report.abstention->coverage, 0);
}

}  // namespace
}  // namespace skim
