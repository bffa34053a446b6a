// Accuracy against work: one row per threshold.
#pragma once

#include <optional>
#include <vector>

#include "base/progress.h"
#include "eval/test_set.h"
#include "eval/timing.h"
#include "skim/model.h"
#include "skim/result.h"
#include "skim/trace.h"

namespace skim {

struct SweepRow {
  float threshold = 0;
  Metrics metrics;
  double skim_rate = 0;
  double work = 1;  // counted FLOPs over those of the dense reader
  Costs costs;
  std::optional<Timing> timing;
};

struct SweepOptions {
  std::vector<float> thresholds;
  int threads = 0;                      // < 1: one per core
  std::optional<TimingOptions> timing;  // per row; unset: no timing
};

// Thresholds from 0 (read everything) to 1 (skim everything). Includes 0.5, the argmax decision.
// Denser near the ends, where most decisions of trained models lie.
std::vector<float> default_thresholds();

Result<std::vector<SweepRow>> sweep(const Model& model, const TestSet& set,
                                    const SweepOptions& options, const Progress& progress = {});

}  // namespace skim
