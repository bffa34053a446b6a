#include "trainer/dev_metrics.h"

#include "base/result_macros.h"
#include "eval/predictions.h"
#include "skim/batch.h"

namespace skim::cli {

Result<std::optional<Metrics>> measure_dev(const Model& model, train::JobReport& report) {
  const OutputActivation output = model.spec().output;
  if (output == OutputActivation::softmax) return std::optional<Metrics>{};
  TestSet set;
  set.label_sets = report.dev_label_sets;
  set.values = report.dev_values;
  Batch batch(model, 0);
  Predictions predictions(model);
  SKIM_ASSIGN_OR_RETURN(const Tally sums,
                        tally(batch, report.dev, Policy{}, {}, predictions.callback()));
  Metrics metrics = predictions.metrics(set, sums);
  if (output == OutputActivation::sigmoid) {
    const LabelScores scores = predictions.label_scores(set);
    report.draft.calibration.label_thresholds = tune_label_thresholds(scores);
    metrics.multilabel = multilabel_metrics(scores, report.draft.calibration.label_thresholds);
  }
  return std::optional<Metrics>(std::move(metrics));
}

}  // namespace skim::cli
