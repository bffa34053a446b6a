#include "kernels/pool_reference.h"

#include <algorithm>
#include <cmath>

namespace skim {

std::vector<std::vector<float>> rows_of_log(const PoolLog& log) {
  std::vector<float> row(static_cast<std::size_t>(log.widths[0]), 0.0F);
  std::vector<std::vector<float>> rows(log.count);
  const float* update = log.log;
  for (std::size_t i = 0; i < log.count; ++i) {
    const std::size_t t = log.backward ? log.count - 1 - i : i;
    std::copy_n(update, log.steps[t].width, row.begin());
    update += log.steps[t].width;
    rows[t] = row;
  }
  return rows;
}

std::vector<float> reference_max(const PoolLog& log) {
  const auto rows = rows_of_log(log);
  if (rows.empty()) return std::vector<float>(static_cast<std::size_t>(log.widths[0]), 0.0F);
  std::vector<float> out = rows[0];
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) out[j] = std::max(out[j], row[j]);
  }
  return out;
}

std::vector<float> reference_sum(const PoolLog& log, const float* weights) {
  const auto rows = rows_of_log(log);
  std::vector<double> sums(static_cast<std::size_t>(log.widths[0]), 0.0);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const double weight = weights == nullptr ? 1.0 : static_cast<double>(weights[t]);
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += weight * static_cast<double>(rows[t][j]);
    }
  }
  return {sums.begin(), sums.end()};
}

std::vector<float> reference_scores(const PoolLog& log, const float* w) {
  std::vector<float> scores;
  for (const auto& row : rows_of_log(log)) {
    double score = 0;
    for (std::size_t j = 0; j < row.size(); ++j) score += static_cast<double>(w[j]) * row[j];
    scores.push_back(static_cast<float>(score));
  }
  return scores;
}

std::vector<float> reference_softmax(const std::vector<float>& values) {
  if (values.empty()) return {};
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const float value : values) sum += std::exp(static_cast<double>(value) - largest);
  std::vector<float> out;
  for (const float value : values) {
    out.push_back(static_cast<float>(std::exp(static_cast<double>(value) - largest) / sum));
  }
  return out;
}

std::vector<float> reference_dense(const Dense& layer, const float* x) {
  std::vector<float> out;
  for (std::size_t row = 0; row < layer.rows; ++row) {
    double sum = layer.b[row];
    for (std::size_t j = 0; j < layer.columns; ++j) {
      sum += static_cast<double>(layer.w[row * layer.columns + j]) * x[j];
    }
    out.push_back(static_cast<float>(sum));
  }
  return out;
}

}  // namespace skim
