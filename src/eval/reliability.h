// Reliability of the confidence of a classifier: whether a score of 0.9 means 90 % correct answers.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace skim {

// One answer: the score of the predicted label, and whether that label is the true one.
struct Prediction {
  float confidence = 0;
  bool correct = false;
};

// The predictions whose confidence is in one of equally wide intervals.
struct ReliabilityBin {
  std::size_t count = 0;
  double confidence = 0;  // mean; 0 for no predictions, here and below
  double accuracy = 0;
};

inline constexpr std::size_t kReliabilityBins = 15;
using ReliabilityBins = std::array<ReliabilityBin, kReliabilityBins>;

// Bin i has the confidences from i / 15 up to, but not including, (i + 1) / 15; the last one
// includes 1.
ReliabilityBins reliability_bins(std::span<const Prediction> predictions);

// Expected calibration error (Naeini et al. 2015, Guo et al. 2017): the mean difference between
// confidence and accuracy of the bins, weighted by their counts. 0 for no predictions.
double expected_calibration_error(const ReliabilityBins& bins);

// Brier score of one text: the sum over all labels of (score - target)^2, where the target is 1 for
// the true label and 0 for the others. From 0 to 2.
double brier_score(std::span<const float> scores, std::size_t truth);

// -log(score of the true label), at most about 87.
double negative_log_likelihood(std::span<const float> scores, std::size_t truth);

}  // namespace skim
