// What an evaluation says about the confidence of a softmax classifier, the score of its answer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json.h"
#include "eval/reliability.h"
#include "eval/risk_coverage.h"
#include "skim/query.h"

namespace skim {

struct ConfidenceReport {
  double temperature = 1;
  double ece = 0;    // expected calibration error
  double brier = 0;  // Brier score and negative log likelihood: means over the texts
  double nll = 0;
  ReliabilityBins bins;
  RiskCoverage risk_coverage;
  std::optional<Selection> abstention;  // at the threshold that was asked for
};

// Collects the readings of an evaluation.
class ConfidenceMeter {
 public:
  // `truth` is the index of the true label.
  void add(const Reading& reading, int truth);
  ConfidenceReport report(double temperature, std::optional<double> abstain) const;

 private:
  std::vector<Prediction> predictions_;
  double brier_ = 0, nll_ = 0;  // sums
};

// The fields "calibration", "risk_coverage" and, if there is one, "abstention".
Json to_json(const ConfidenceReport& report);

}  // namespace skim
