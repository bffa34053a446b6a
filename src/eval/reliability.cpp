#include "eval/reliability.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skim {

ReliabilityBins reliability_bins(std::span<const Prediction> predictions) {
  ReliabilityBins bins;
  for (const Prediction& each : predictions) {
    const double confidence = std::clamp(static_cast<double>(each.confidence), 0.0, 1.0);
    const auto index = static_cast<std::size_t>(confidence * kReliabilityBins);
    ReliabilityBin& bin = bins[std::min(index, kReliabilityBins - 1)];
    ++bin.count;
    bin.confidence += confidence;
    bin.accuracy += each.correct ? 1 : 0;
  }
  for (ReliabilityBin& bin : bins) {
    if (bin.count == 0) continue;
    bin.confidence /= static_cast<double>(bin.count);
    bin.accuracy /= static_cast<double>(bin.count);
  }
  return bins;
}

double expected_calibration_error(const ReliabilityBins& bins) {
  double sum = 0, count = 0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.count) * std::abs(bin.confidence - bin.accuracy);
    count += static_cast<double>(bin.count);
  }
  return count > 0 ? sum / count : 0;
}

double brier_score(std::span<const float> scores, std::size_t truth) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double error = static_cast<double>(scores[i]) - (i == truth ? 1 : 0);
    sum += error * error;
  }
  return sum;
}

double negative_log_likelihood(std::span<const float> scores, std::size_t truth) {
  return -std::log(static_cast<double>(std::max(scores[truth], std::numeric_limits<float>::min())));
}

}  // namespace skim
