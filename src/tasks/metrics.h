// Scores of answers against the truth: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace skim {

// Share of answers that are right; 0 for no answers. Both spans are equally long.
double accuracy(std::span<const int> truth, std::span<const int> answers);

// How often label `truth` was answered with label `answer`.
class Confusion {
 public:
  Confusion() = default;
  // Entries must be in [0, labels).
  Confusion(std::size_t labels, std::span<const int> truth, std::span<const int> answers);

  std::size_t labels() const { return labels_; }
  std::size_t count(std::size_t truth, std::size_t answer) const {
    return counts_[truth * labels_ + answer];
  }
  // Examples that carry the label.
  std::size_t support(std::size_t label) const;
  // Of those, the share that was answered with it; 0 without examples.
  double recall(std::size_t label) const;
  // Of the answers with this label, the share that was right; 0 without answers.
  double precision(std::size_t label) const;

 private:
  std::size_t labels_ = 0;
  std::vector<std::size_t> counts_;
};

// The smallest value that at least `share` (0 to 1) of the values do not exceed; 0 for no values.
double percentile(std::span<const double> values, double share);

// The mean of the two middle values when their number is even; 0 for no values.
double median(std::span<const double> values);

}  // namespace skim
