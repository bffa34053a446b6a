#include "eval/evaluate.h"

#include "base/result_macros.h"
#include "eval/predictions.h"
#include "eval/tally.h"
#include "skim/version.h"

namespace skim {

Result<Report> evaluate(const Model& model, const TestSet& set, const EvaluateOptions& options,
                        const Progress& progress) {
  const std::size_t parts = options.timing ? 2 : 1;
  Batch batch(model, options.threads);
  Predictions predictions(model);
  SKIM_ASSIGN_OR_RETURN(auto sums, tally(batch, set.queries, options.policy,
                                         sub_progress(progress, 0, parts), predictions.callback()));

  Report report;
  report.model = model.name();
  report.data = set.name;
  report.policy = options.policy;
  report.examples = set.queries.size();
  report.impossible = set.impossible;
  report.unaligned = set.unaligned;
  report.words = sums.words;
  report.metrics = predictions.metrics(set, sums);
  report.skim_rate = sums.skim_rate();
  report.costs = sums.costs;
  report.passes = sums.passes;
  report.labels = model.spec().labels;
  report.label_thresholds.assign(model.label_thresholds().begin(), model.label_thresholds().end());
  if (!report.labels.empty() && !report.metrics.multilabel)
    report.confusion = ConfusionMatrix(report.labels.size(), set.truth, sums.answers);
  report.machine = this_machine();
  report.version = SKIM_VERSION;
  if (!options.timing) return report;
  SKIM_ASSIGN_OR_RETURN(report.timing,
                        time_against_dense(model, set.queries, options.policy, *options.timing,
                                           sub_progress(progress, 1, parts)));
  return report;
}

}  // namespace skim
