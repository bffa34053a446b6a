#include "eval/sweep.h"

#include "base/result_macros.h"
#include "eval/predictions.h"
#include "eval/tally.h"

namespace skim {
namespace {

SweepRow make_row(float threshold, const Metrics& metrics, const Tally& sums) {
  SweepRow row;
  row.threshold = threshold;
  row.metrics = metrics;
  row.skim_rate = sums.skim_rate();
  row.work = sums.work();
  row.costs = sums.costs;
  return row;
}

}  // namespace

std::vector<float> default_thresholds() {
  return {0.0F, 0.01F, 0.02F, 0.05F, 0.1F,  0.2F,  0.3F,  0.4F, 0.5F,
          0.6F, 0.7F,  0.8F,  0.9F,  0.95F, 0.98F, 0.99F, 1.0F};
}

Result<std::vector<SweepRow>> sweep(const Model& model, const TestSet& set,
                                    const SweepOptions& options, const Progress& progress) {
  Batch batch(model, options.threads);
  std::vector<SweepRow> rows;
  const std::size_t parts = options.thresholds.size() * (options.timing ? 2 : 1);
  std::size_t part = 0;
  for (const float threshold : options.thresholds) {
    Policy policy;
    policy.threshold = threshold;
    Predictions predictions(model);
    SKIM_ASSIGN_OR_RETURN(const auto sums,
                          tally(batch, set.queries, policy, sub_progress(progress, part++, parts),
                                predictions.callback()));
    rows.push_back(make_row(threshold, predictions.metrics(set, sums), sums));
    if (!options.timing) continue;
    SKIM_ASSIGN_OR_RETURN(rows.back().timing,
                          time_against_dense(model, set.queries, policy, *options.timing,
                                             sub_progress(progress, part++, parts)));
  }
  return rows;
}

}  // namespace skim
