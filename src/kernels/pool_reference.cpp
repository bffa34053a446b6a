#include "kernels/pool_reference.h"

#include <algorithm>
#include <cmath>

namespace skim {

std::vector<std::vector<float>> expand_rows(const UpdateLog& log) {
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

std::vector<float> reference_max(const UpdateLog& log) {
  const auto rows = expand_rows(log);
  if (rows.empty()) return std::vector<float>(static_cast<std::size_t>(log.widths[0]), 0.0F);
  std::vector<float> out = rows[0];
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) out[j] = std::max(out[j], row[j]);
  }
  return out;
}

std::vector<float> reference_sum(const UpdateLog& log, const float* weights) {
  const auto rows = expand_rows(log);
  std::vector<double> sums(static_cast<std::size_t>(log.widths[0]), 0.0);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const double weight = weights == nullptr ? 1.0 : static_cast<double>(weights[t]);
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += weight * static_cast<double>(rows[t][j]);
    }
  }
  return {sums.begin(), sums.end()};
}

std::vector<float> reference_row_logits(const UpdateLog& log, const float* w) {
  std::vector<float> logits;
  for (const auto& row : expand_rows(log)) {
    double logit = 0;
    for (std::size_t j = 0; j < row.size(); ++j) logit += static_cast<double>(w[j]) * row[j];
    logits.push_back(static_cast<float>(logit));
  }
  return logits;
}

std::vector<float> reference_softmax(const std::vector<float>& values) {
  if (values.empty()) return {};
  const double max_value = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const float value : values) sum += std::exp(static_cast<double>(value) - max_value);
  std::vector<float> out;
  for (const float value : values) {
    out.push_back(static_cast<float>(std::exp(static_cast<double>(value) - max_value) / sum));
  }
  return out;
}

std::vector<float> reference_linear(const LinearParams& layer, const float* x) {
  std::vector<float> out;
  for (std::size_t row = 0; row < layer.rows; ++row) {
    double sum = layer.bias[row];
    for (std::size_t j = 0; j < layer.columns; ++j) {
      sum += static_cast<double>(layer.weight[row * layer.columns + j]) * x[j];
    }
    out.push_back(static_cast<float>(sum));
  }
  return out;
}

}  // namespace skim
