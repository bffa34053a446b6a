// The predictions of multi-label and regression models over a test set, and their metrics.
#pragma once

#include <span>
#include <vector>

#include "eval/tally.h"
#include "eval/test_set.h"
#include "skim/model.h"
#include "skim/query.h"

namespace skim {

// Collects the scores of every reading. Other models have no use for it: their answers suffice.
class Predictions {
 public:
  explicit Predictions(const Model& model);

  // For tally(); keeps a reference to this. Empty for models with other metrics.
  ReadingCallback callback();
  // The metrics of these predictions, or for other models those of their answers.
  Metrics metrics(const TestSet& set, const Tally& sums) const;
  // The predictions of a multi-label model. Borrows `set`.
  LabelScores label_scores(const TestSet& set) const;

 private:
  OutputActivation output_;
  std::vector<float> thresholds_;  // of labels
  std::vector<float> scores_;      // of all readings, one after the other
};

// The thresholds of labels with the best micro F1 on `set`.
Result<std::vector<float>> tune_labels(const Model& model, const TestSet& set, int threads,
                                       const Progress& progress = {});

}  // namespace skim
