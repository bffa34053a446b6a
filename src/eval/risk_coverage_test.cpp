#include "eval/risk_coverage.h"

#include <gtest/gtest.h>

#include <vector>

namespace skim {
namespace {

std::vector<Prediction> ten() {
  std::vector<Prediction> predictions;
  for (int i = 0; i < 10; ++i)
    predictions.push_back({0.05F + 0.1F * static_cast<float>(i), i != 0 && i != 5});
  return predictions;
}

TEST(SelectConfident, LeavesOutWhatIsBelowTheThreshold) {
  const Selection all = select_confident(ten(), 0);
  EXPECT_EQ(all.coverage, 1);
  EXPECT_EQ(all.accuracy, 0.8);
  const Selection some = select_confident(ten(), 0.6);
  EXPECT_EQ(some.coverage, 0.4);
  EXPECT_EQ(some.accuracy, 1);
  EXPECT_EQ(select_confident(ten(), 0.99).coverage, 0);
  EXPECT_EQ(select_confident({}, 0.5).coverage, 0);
}

TEST(SelectConfident, AnswersAtTheThresholdItself) {
  EXPECT_EQ(select_confident(std::vector<Prediction>{{0.5F, true}}, 0.5).coverage, 1);
}

TEST(RiskCoverage, RowsAreWhatTheirThresholdsGive) {
  const RiskCoverage result = risk_coverage(ten());
  ASSERT_EQ(result.rows.size(), 6U);
  const std::vector<double> coverages = {1, 1, 0.9, 0.8, 0.7, 0.5};
  for (std::size_t i = 0; i < coverages.size(); ++i) {
    EXPECT_EQ(result.rows[i].coverage, coverages[i]) << i;
    const Selection again = select_confident(ten(), result.rows[i].threshold);
    EXPECT_EQ(again.coverage, result.rows[i].coverage);
    EXPECT_EQ(again.accuracy, result.rows[i].accuracy);
  }
  EXPECT_EQ(result.rows[2].accuracy, 8.0 / 9);
}

TEST(RiskCoverage, EqualConfidencesAreAnsweredTogether) {
  const std::vector<Prediction> equal(4, {0.75F, true});
  const RiskCoverage result = risk_coverage(equal);
  for (const Selection& row : result.rows) EXPECT_EQ(row.coverage, 1);
}

TEST(RiskCoverage, AreaIsTheMeanErrorOfTheMostConfident) {
  // Error rates of the first 1, 2 and 3 texts: 0, 1/2, 1/3.
  const std::vector<Prediction> three = {{0.5F, true}, {0.9F, true}, {0.7F, false}};
  EXPECT_DOUBLE_EQ(risk_coverage(three).aurc, (0 + 0.5 + 1.0 / 3) / 3);
}

TEST(RiskCoverage, AreaDoesNotDependOnTheOrderOfEqualConfidences) {
  std::vector<Prediction> some = {{0.5F, true}, {0.5F, false}, {0.9F, true}, {0.5F, true}};
  const double area = risk_coverage(some).aurc;
  std::swap(some[0], some[1]);
  EXPECT_EQ(risk_coverage(some).aurc, area);
  EXPECT_EQ(risk_coverage({}).aurc, 0);
}

TEST(RiskCoverage, CurveEndsAtAllTexts) {
  std::vector<Prediction> many;
  for (int i = 0; i < 1000; ++i) many.push_back({static_cast<float>(i % 97) / 97.0F, i % 3 != 0});
  const RiskCoverage result = risk_coverage(many);
  EXPECT_EQ(result.curve.size(), 200U);
  EXPECT_EQ(result.curve.back().coverage, 1);
  for (std::size_t i = 1; i < result.curve.size(); ++i)
    EXPECT_GE(result.curve[i].coverage, result.curve[i - 1].coverage);
  EXPECT_TRUE(risk_coverage({}).curve.empty());
}

}  // namespace
}  // namespace skim
