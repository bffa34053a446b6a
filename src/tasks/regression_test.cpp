#include "tasks/regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace skim {
namespace {

RegressionMetrics metrics(const std::vector<double>& truth, const std::vector<double>& answers) {
  return regression_metrics(truth, answers);
}

TEST(RegressionMetrics, MeasureErrors) {
  const RegressionMetrics found = metrics({1, 2, 3, 4}, {2, 2, 3, 7});
  EXPECT_DOUBLE_EQ(found.mae, 1);
  EXPECT_DOUBLE_EQ(found.rmse, std::sqrt(2.5));
}

// The values are those of scipy.stats.pearsonr and spearmanr.
TEST(RegressionMetrics, MeasureCorrelation) {
  const RegressionMetrics found = metrics({1, 2, 3, 4}, {2, 2, 3, 7});
  EXPECT_NEAR(found.pearson, 0.8677218312746247, 1e-12);
  EXPECT_NEAR(found.spearman, 0.9486832980505138, 1e-12);
}

TEST(RegressionMetrics, RanksIgnoreTheSizeOfDifferences) {
  EXPECT_DOUBLE_EQ(metrics({1, 2, 3}, {1, 10, 1000}).spearman, 1);
  EXPECT_DOUBLE_EQ(metrics({1, 2, 3}, {3, 2, -50}).spearman, -1);
}

TEST(RegressionMetrics, ConstantsHaveNoCorrelation) {
  EXPECT_EQ(metrics({1, 1, 1}, {1, 2, 3}).pearson, 0);
  EXPECT_EQ(metrics({1, 2, 3}, {5, 5, 5}).spearman, 0);
}

TEST(RegressionMetrics, AreZeroWithoutValues) { EXPECT_EQ(metrics({}, {}).rmse, 0); }

}  // namespace
}  // namespace skim
