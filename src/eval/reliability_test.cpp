#include "eval/reliability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace skim {
namespace {

TEST(ReliabilityBins, AreEquallyWideAndTheLastIncludesOne) {
  const std::vector<Prediction> predictions = {
      {0.0F, false}, {0.06F, true}, {0.07F, true}, {0.94F, true}, {1.0F, false}};
  const ReliabilityBins bins = reliability_bins(predictions);
  EXPECT_EQ(bins[0].count, 2U);
  EXPECT_NEAR(bins[0].confidence, 0.03, 1e-7);  // rounding of floats, here and below
  EXPECT_EQ(bins[0].accuracy, 0.5);
  EXPECT_EQ(bins[1].count, 1U);
  EXPECT_EQ(bins[7].count, 0U);
  EXPECT_EQ(bins[14].count, 2U);
  EXPECT_NEAR(bins[14].confidence, 0.97, 1e-7);
}

TEST(ExpectedCalibrationError, IsZeroWhenConfidenceIsAccuracy) {
  const std::vector<Prediction> predictions = {
      {0.75F, true}, {0.75F, true}, {0.75F, true}, {0.75F, false}};
  EXPECT_EQ(expected_calibration_error(reliability_bins(predictions)), 0);
  EXPECT_EQ(expected_calibration_error(reliability_bins({})), 0);
}

TEST(ExpectedCalibrationError, WeighsTheBinsByTheirCounts) {
  // Three predictions are 0.1 too sure, one is 0.5 too unsure.
  const std::vector<Prediction> predictions = {
      {0.1F, false}, {0.1F, false}, {0.1F, false}, {0.5F, true}};
  EXPECT_NEAR(expected_calibration_error(reliability_bins(predictions)), 0.75 * 0.1 + 0.25 * 0.5,
              1e-7);
}

TEST(BrierScore, SumsOverAllLabels) {
  const std::vector<float> scores = {0.5F, 0.25F, 0.25F};
  EXPECT_EQ(brier_score(scores, 0), 0.25 + 0.0625 + 0.0625);
  EXPECT_EQ(brier_score(scores, 1), 0.25 + 0.5625 + 0.0625);
  EXPECT_EQ(brier_score(std::vector<float>{0, 1}, 0), 2);
}

TEST(NegativeLogLikelihood, IsFiniteForAScoreOfZero) {
  const std::vector<float> scores = {0.25F, 0.75F, 0};
  EXPECT_NEAR(negative_log_likelihood(scores, 0), std::log(4), 1e-12);
  EXPECT_GT(negative_log_likelihood(scores, 2), 80);
  EXPECT_LT(negative_log_likelihood(scores, 2), 90);
}

}  // namespace
}  // namespace skim
