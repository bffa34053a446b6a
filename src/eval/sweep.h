// The trade-off between accuracy and work: one row a threshold.
#pragma once

#include <optional>
#include <vector>

#include "eval/progress.h"
#include "eval/test_set.h"
#include "eval/timing.h"
#include "skim/model.h"
#include "skim/result.h"
#include "skim/trace.h"

namespace skim {

struct SweepRow {
  float threshold = 0;
  Marks marks;
  double skim_rate = 0;
  double work = 1;  // counted cost over the plain reader's
  Costs costs;
  std::optional<Timing> timing;
};

struct SweepOptions {
  std::vector<float> thresholds;
  int threads = 0;                      // < 1 takes one a core
  std::optional<TimingOptions> timing;  // of each row; none: no timing
};

// From 0 (read everything) to 1 (skim everything), with 0.5, the model's own choice. Trained
// models are mostly sure of themselves, so the ends are looked at more closely than the middle.
std::vector<float> default_thresholds();

Result<std::vector<SweepRow>> sweep(const Model& model, const TestSet& set,
                                    const SweepOptions& options, const Progress& progress = {});

}  // namespace skim
