// Regression metrics.
#pragma once

#include <span>

namespace skim {

struct RegressionMetrics {
  double mae = 0;       // mean absolute error
  double rmse = 0;      // root mean squared error
  double pearson = 0;   // correlation; 0 when either side is constant
  double spearman = 0;  // correlation of the ranks, equal values sharing their mean rank
};

// Both spans have the same size. All metrics are 0 for no values.
RegressionMetrics regression_metrics(std::span<const double> truth,
                                     std::span<const double> answers);

}  // namespace skim
