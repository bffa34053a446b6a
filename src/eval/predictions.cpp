#include "eval/predictions.h"

#include "base/result_macros.h"
#include "skim/batch.h"

namespace skim {

Predictions::Predictions(const Model& model)
    : output_(model.spec().output),
      thresholds_(model.label_thresholds().begin(), model.label_thresholds().end()) {}

ReadingCallback Predictions::callback() {
  if (output_ == OutputActivation::softmax) return {};
  return [this](const Reading& reading) {
    scores_.insert(scores_.end(), reading.scores.begin(), reading.scores.end());
  };
}

LabelScores Predictions::label_scores(const TestSet& set) const {
  return {thresholds_.size(), scores_, set.label_sets};
}

Metrics Predictions::metrics(const TestSet& set, const Tally& sums) const {
  if (output_ == OutputActivation::softmax) return sums.metrics(set);
  Metrics metrics;
  if (output_ == OutputActivation::sigmoid)
    metrics.multilabel = multilabel_metrics(label_scores(set), thresholds_);
  else
    metrics.regression =
        regression_metrics(set.values, std::vector<double>(scores_.begin(), scores_.end()));
  return metrics;
}

Result<std::vector<float>> tune_labels(const Model& model, const TestSet& set, int threads,
                                       const Progress& progress) {
  Batch batch(model, threads);
  Predictions predictions(model);
  SKIM_RETURN_IF_ERROR(tally(batch, set.queries, Policy{}, progress, predictions.callback()));
  return tune_label_thresholds(predictions.label_scores(set));
}

}  // namespace skim
