// Classification metrics: accuracy, confusion matrix, percentiles.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace skim {

// Share of correct answers; 0 for no answers. Both spans have the same size.
double accuracy(std::span<const int> truth, std::span<const int> answers);

// Counts of predicted label (`answer`) per true label (`truth`).
class ConfusionMatrix {
 public:
  ConfusionMatrix() = default;
  // Entries must be in [0, labels).
  ConfusionMatrix(std::size_t labels, std::span<const int> truth, std::span<const int> answers);

  std::size_t labels() const { return labels_; }
  std::size_t count(std::size_t truth, std::size_t answer) const {
    return counts_[truth * labels_ + answer];
  }
  // Number of examples with this true label.
  std::size_t support(std::size_t label) const;
  // Share of the label's examples that were answered correctly; 0 without examples.
  double recall(std::size_t label) const;
  // Share of the answers with this label that are correct; 0 without answers.
  double precision(std::size_t label) const;

 private:
  std::size_t labels_ = 0;
  std::vector<std::size_t> counts_;
};

// Smallest value that at least a `share` (0 to 1) of the values do not exceed; 0 for no values.
double percentile(std::span<const double> values, double share);

// Median; the mean of the two middle values for an even count, 0 for no values.
double median(std::span<const double> values);

}  // namespace skim
