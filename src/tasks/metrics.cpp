#include "tasks/metrics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace skim {

double accuracy(std::span<const int> truth, std::span<const int> answers) {
  assert(truth.size() == answers.size());
  if (truth.empty()) return 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] == answers[i] ? 1U : 0U;
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

ConfusionMatrix::ConfusionMatrix(std::size_t labels, std::span<const int> truth,
                                 std::span<const int> answers)
    : labels_(labels), counts_(labels * labels) {
  assert(truth.size() == answers.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    ++counts_[static_cast<std::size_t>(truth[i]) * labels + static_cast<std::size_t>(answers[i])];
  }
}

std::size_t ConfusionMatrix::support(std::size_t label) const {
  std::size_t sum = 0;
  for (std::size_t answer = 0; answer < labels_; ++answer) sum += count(label, answer);
  return sum;
}

double ConfusionMatrix::recall(std::size_t label) const {
  const std::size_t all = support(label);
  return all == 0 ? 0 : static_cast<double>(count(label, label)) / static_cast<double>(all);
}

double ConfusionMatrix::precision(std::size_t label) const {
  std::size_t all = 0;
  for (std::size_t truth = 0; truth < labels_; ++truth) all += count(truth, label);
  return all == 0 ? 0 : static_cast<double>(count(label, label)) / static_cast<double>(all);
}

double percentile(std::span<const double> values, double share) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const auto index =
      static_cast<std::size_t>(std::clamp(rank - 1, 0.0, static_cast<double>(sorted.size() - 1)));
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(index),
                   sorted.end());
  return sorted[index];
}

double median(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace skim
