#include "eval/evaluate.h"

#include "base/result_macros.h"
#include "eval/predictions.h"
#include "eval/tally.h"
#include "skim/version.h"

namespace skim {

Result<Report> evaluate(const Model& model, const TestSet& set, const EvaluateOptions& options,
                        const Progress& progress) {
  const bool has_confidence = model.spec().is_softmax_classifier();
  const bool early_answers = options.early_answers && has_confidence && model.streams();
  const std::size_t parts = 1U + (options.timing ? 1U : 0U) + (early_answers ? 1U : 0U);
  Batch batch(model, options.threads);
  ConfidenceMeter confidence;
  Predictions predictions(model);
  std::size_t next = 0;
  const auto measure = [&](const Reading& reading) { confidence.add(reading, set.truth[next++]); };
  SKIM_ASSIGN_OR_RETURN(auto sums,
                        tally(batch, set.queries, options.policy, sub_progress(progress, 0, parts),
                              has_confidence ? ReadingCallback(measure) : predictions.callback()));

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
  report.unseen_share = sums.unseen_share();
  report.costs = sums.costs;
  report.passes = sums.passes;
  report.labels = model.spec().labels;
  report.label_thresholds.assign(model.label_thresholds().begin(), model.label_thresholds().end());
  if (!report.labels.empty() && !report.metrics.multilabel)
    report.confusion = ConfusionMatrix(report.labels.size(), set.truth, sums.answers);
  if (has_confidence)
    report.confidence = confidence.report(model.calibration().temperature, options.abstain);
  report.machine = this_machine();
  report.version = SKIM_VERSION;
  if (early_answers) {
    SKIM_ASSIGN_OR_RETURN(
        report.early_answers,
        measure_early_answers(batch, set, options.policy, sub_progress(progress, 1, parts)));
  }
  if (!options.timing) return report;
  SKIM_ASSIGN_OR_RETURN(report.timing,
                        time_against_dense(model, set.queries, options.policy, *options.timing,
                                           sub_progress(progress, parts - 1, parts)));
  return report;
}

}  // namespace skim
