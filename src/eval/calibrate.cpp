#include "eval/calibrate.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/result_macros.h"
#include "eval/tally.h"

namespace skim {
namespace {

// Sample size for the quantiles; a data set may hold hundreds of millions of decisions.
constexpr std::size_t kMaxDecisions = 1'000'000;

Policy threshold_policy(float threshold) {
  Policy policy;
  policy.threshold = threshold;
  return policy;
}

// Collects p_read at thresholds 0, 0.5 and 1, because decisions depend on what was read before.
Result<std::vector<float>> collect_p_read(Batch& batch, std::span<const Query> queries,
                                          const Progress& progress) {
  std::vector<float> decisions;
  const std::vector<float> thresholds = {0.0F, 0.5F, 1.0F};
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const std::size_t limit = kMaxDecisions * (i + 1) / thresholds.size();
    const auto collect = [&decisions, limit](const Reading& reading) {
      if (decisions.size() >= limit) return;
      for (const Pass& pass : reading.trace) {
        for (const Step& step : pass.steps) decisions.push_back(step.p_read);
      }
    };
    SKIM_RETURN_IF_ERROR(tally(batch, queries, threshold_policy(thresholds[i]),
                               sub_progress(progress, i, thresholds.size()), collect));
  }
  return decisions;
}

}  // namespace

std::vector<float> calibration_thresholds(std::span<float> p_read, int points) {
  std::vector<float> thresholds = {0.0F, 0.5F, 1.0F};
  std::sort(p_read.begin(), p_read.end());
  const int quantiles = std::max(points - 3, 0);
  for (int i = 0; i < quantiles && !p_read.empty(); ++i) {
    const double share = (i + 0.5) / quantiles;
    const auto index = static_cast<std::size_t>(share * static_cast<double>(p_read.size()));
    thresholds.push_back(std::clamp(p_read[index], 0.0F, 1.0F));
  }
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  return thresholds;
}

void fit_isotonic(std::span<Calibration::Point> points) {
  struct Level {
    double sum = 0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Level> levels;
  for (const Calibration::Point& point : points) {
    levels.push_back({point.work, 1});
    while (levels.size() > 1 && levels[levels.size() - 2].mean() < levels.back().mean()) {
      const Level last = levels.back();
      levels.pop_back();
      levels.back().sum += last.sum;
      levels.back().count += last.count;
    }
  }
  std::size_t next = 0;
  for (const Level& level : levels) {
    for (std::size_t i = 0; i < level.count; ++i) points[next++].work = level.mean();
  }
}

bool has_thresholds(const ModelSpec& spec) {
  return spec.reader.kind != ReaderKind::dense && spec.reader.kind != ReaderKind::lstm_jump;
}

// A list of paths: "/home/me/a.tsv, b/c.tsv" becomes "a.tsv, c.tsv".
std::string describe_data(std::string_view data) {
  std::string bare;
  std::size_t begin = 0;  // of the current name
  for (const char letter : data) {
    bare += letter;
    if (letter == '/') bare.resize(begin);
    if (bare.ends_with(", ")) begin = bare.size();
  }
  return bare;
}

Result<Calibration> calibrate(const Model& model, std::span<const Query> queries,
                              std::string_view data, const CalibrateOptions& options,
                              const Progress& progress) {
  if (model.spec().reader.kind == ReaderKind::dense) {
    return fail(
        Fault::argument,
        model.name() + ": a dense reader makes no decisions, there is nothing to calibrate");
  }
  if (model.spec().reader.kind == ReaderKind::lstm_jump) {
    return fail(Fault::argument, model.name() +
                                     ": LSTM-Jump has no threshold between its own decisions "
                                     "and reading everything, so it cannot be calibrated");
  }
  if (queries.empty()) return fail(Fault::argument, "there are no texts to calibrate on");
  Batch batch(model, options.threads);
  SKIM_ASSIGN_OR_RETURN(auto decisions,
                        collect_p_read(batch, queries, sub_progress(progress, 0, 10)));

  Calibration calibration{describe_data(data), {}};
  const auto thresholds = calibration_thresholds(decisions, options.points);
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto done = static_cast<double>(i) / static_cast<double>(thresholds.size());
    report_progress(progress, 0.1 + 0.9 * done);
    SKIM_ASSIGN_OR_RETURN(const auto sums, tally(batch, queries, threshold_policy(thresholds[i])));
    calibration.points.push_back({static_cast<double>(thresholds[i]), sums.work()});
  }
  fit_isotonic(calibration.points);
  report_progress(progress, 1);
  return calibration;
}

}  // namespace skim
