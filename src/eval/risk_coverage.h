// Selective classification: how accurate a classifier is on the texts that it answers when it
// abstains from those of low confidence.
#pragma once

#include <span>
#include <vector>

#include "eval/reliability.h"

namespace skim {

// What abstaining below a threshold does.
struct Selection {
  double threshold = 0;  // texts with a lower confidence are not answered
  double coverage = 0;   // share of the texts that are answered
  double accuracy = 0;   // on those; 0 when there are none
};

// Abstains below `threshold`.
Selection select_confident(std::span<const Prediction> predictions, double threshold);

struct RiskCoverage {
  // Area under the risk-coverage curve (Geifman and El-Yaniv 2017): the mean error rate on the n
  // most confident texts over all n. Texts of equal confidence have their mean error. 0 for none.
  double aurc = 0;
  // The thresholds that answer 100, 95, 90, 80, 70 and 50 % of the texts, or more if confidences
  // are equal, rounded down to six decimals. Empty without predictions.
  std::vector<Selection> rows;
  std::vector<Selection> curve;  // at most 200 thresholds, by increasing coverage up to 1
};

RiskCoverage risk_coverage(std::vector<Prediction> predictions);

}  // namespace skim
