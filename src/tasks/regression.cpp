#include "tasks/regression.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace skim {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double correlation(std::span<const double> left, std::span<const double> right) {
  const double left_mean = mean(left), right_mean = mean(right);
  double both = 0, left_squares = 0, right_squares = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double a = left[i] - left_mean, b = right[i] - right_mean;
    both += a * b;
    left_squares += a * a;
    right_squares += b * b;
  }
  const double product = std::sqrt(left_squares) * std::sqrt(right_squares);
  return product > 0 ? both / product : 0;
}

// The rank of each value; equal values have their mean rank.
std::vector<double> rank(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t left, std::size_t right) { return values[left] < values[right]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + end - 1) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = shared;
  }
  return ranks;
}

}  // namespace

RegressionMetrics regression_metrics(std::span<const double> truth,
                                     std::span<const double> answers) {
  assert(truth.size() == answers.size());
  if (truth.empty()) return {};
  RegressionMetrics metrics;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = std::abs(truth[i] - answers[i]);
    metrics.mae += error / static_cast<double>(truth.size());
    metrics.rmse += error * error / static_cast<double>(truth.size());
  }
  metrics.rmse = std::sqrt(metrics.rmse);
  metrics.pearson = correlation(truth, answers);
  metrics.spearman = correlation(rank(truth), rank(answers));
  return metrics;
}

}  // namespace skim
