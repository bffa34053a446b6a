#include "tasks/metrics.h"

#include <gtest/gtest.h>

#include <vector>

namespace skim {
namespace {

TEST(Accuracy, IsTheShareOfCorrectAnswers) {
  EXPECT_DOUBLE_EQ(accuracy(std::vector{0, 1, 1, 0}, std::vector{0, 1, 0, 0}), 0.75);
}

TEST(Accuracy, IsZeroWithoutValues) { EXPECT_EQ(accuracy({}, {}), 0); }

TEST(ConfusionMatrix, CountsEveryPairOfTruthAndAnswer) {
  const ConfusionMatrix confusion(3, std::vector{0, 0, 1, 2}, std::vector{0, 1, 1, 1});
  EXPECT_EQ(confusion.count(0, 0), 1U);
  EXPECT_EQ(confusion.count(0, 1), 1U);
  EXPECT_EQ(confusion.count(2, 1), 1U);
  EXPECT_EQ(confusion.count(2, 2), 0U);
  EXPECT_EQ(confusion.support(0), 2U);
}

TEST(ConfusionMatrix, RecallUsesRowsAndPrecisionColumns) {
  const ConfusionMatrix confusion(2, std::vector{0, 0, 1, 1}, std::vector{0, 1, 1, 1});
  EXPECT_DOUBLE_EQ(confusion.recall(0), 0.5);
  EXPECT_DOUBLE_EQ(confusion.precision(0), 1.0);
  EXPECT_DOUBLE_EQ(confusion.recall(1), 1.0);
  EXPECT_DOUBLE_EQ(confusion.precision(1), 2.0 / 3);
}

TEST(ConfusionMatrix, UnusedLabelsScoreZero) {
  const ConfusionMatrix confusion(2, std::vector{0}, std::vector{0});
  EXPECT_EQ(confusion.recall(1), 0);
  EXPECT_EQ(confusion.precision(1), 0);
}

TEST(Percentile, IsTheNearestRankValue) {
  const std::vector<double> values = {5, 1, 4, 2, 3};
  EXPECT_EQ(percentile(values, 0.5), 3);
  EXPECT_EQ(percentile(values, 0.99), 5);
  EXPECT_EQ(percentile(values, 0.0), 1);
  EXPECT_EQ(percentile(values, 1.0), 5);
}

TEST(Percentile, OfASingleValueIsThatValue) { EXPECT_EQ(percentile(std::vector{7.0}, 0.5), 7); }

TEST(Percentile, IsZeroWithoutValues) { EXPECT_EQ(percentile({}, 0.5), 0); }

TEST(Median, TakesTheMeanOfTheTwoMiddleValues) {
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{9, 1, 3}), 3);
  EXPECT_EQ(median({}), 0);
}

}  // namespace
}  // namespace skim
