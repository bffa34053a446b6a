#include "eval/risk_coverage.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace skim {
namespace {

constexpr double kCoverages[] = {1, 0.95, 0.9, 0.8, 0.7, 0.5};
constexpr std::size_t kCurvePoints = 200;

// Predictions by falling confidence.
class Ranking {
 public:
  explicit Ranking(std::vector<Prediction> predictions) : predictions_(std::move(predictions)) {
    std::stable_sort(
        predictions_.begin(), predictions_.end(),
        [](const Prediction& a, const Prediction& b) { return a.confidence > b.confidence; });
    correct_.push_back(0);
    for (const Prediction& each : predictions_)
      correct_.push_back(correct_.back() + (each.correct ? 1 : 0));
  }

  std::size_t size() const { return predictions_.size(); }

  // The threshold that answers at least the first `count` texts.
  Selection first(std::size_t count) const {
    constexpr double kDecimals = 1e6;
    const auto confidence = static_cast<double>(predictions_[count - 1].confidence);
    return at(std::floor(confidence * kDecimals) / kDecimals);
  }

  Selection at(double threshold) const {
    const auto end = std::partition_point(
        predictions_.begin(), predictions_.end(), [threshold](const Prediction& each) {
          return static_cast<double>(each.confidence) >= threshold;
        });
    const auto answered = static_cast<std::size_t>(end - predictions_.begin());
    if (answered == 0) return {threshold, 0, 0};
    return {threshold, share(answered, size()), share(correct_[answered], answered)};
  }

  double area() const {
    double sum = 0;
    for (std::size_t begin = 0; begin < size();) {
      std::size_t end = begin;
      while (end < size() && predictions_[end].confidence == predictions_[begin].confidence) ++end;
      const auto before = static_cast<double>(begin - correct_[begin]);
      const auto errors = static_cast<double>(end - correct_[end]) - before;
      for (std::size_t i = begin + 1; i <= end; ++i)
        sum += (before + errors * share(i - begin, end - begin)) / static_cast<double>(i);
      begin = end;
    }
    return size() == 0 ? 0 : sum / static_cast<double>(size());
  }

 private:
  static double share(std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }

  std::vector<Prediction> predictions_;
  std::vector<std::size_t> correct_;  // among the first 0, 1, ... predictions
};

std::size_t count_at(double coverage, std::size_t texts) {
  const double count = std::ceil(coverage * static_cast<double>(texts) - 1e-9);
  return std::max<std::size_t>(static_cast<std::size_t>(count), 1);
}

}  // namespace

Selection select_confident(std::span<const Prediction> predictions, double threshold) {
  return Ranking({predictions.begin(), predictions.end()}).at(threshold);
}

RiskCoverage risk_coverage(std::vector<Prediction> predictions) {
  const Ranking ranking(std::move(predictions));
  RiskCoverage result;
  if (ranking.size() == 0) return result;
  result.aurc = ranking.area();
  for (const double coverage : kCoverages)
    result.rows.push_back(ranking.first(count_at(coverage, ranking.size())));
  const std::size_t points = std::min(kCurvePoints, ranking.size());
  for (std::size_t i = 1; i <= points; ++i)
    result.curve.push_back(ranking.first(i * ranking.size() / points));
  return result;
}

}  // namespace skim
