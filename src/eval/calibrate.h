// Calibration: measures which threshold leads to which share of the dense reader's work.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "skim/model.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

struct CalibrateOptions {
  int threads = 0;  // < 1: one per core
  int points = 33;  // thresholds to measure, including 0, 0.5 and 1
};

// Whether readers of this kind have thresholds to choose from.
bool has_thresholds(const ModelSpec& spec);

// Measures the mean counted work at thresholds that are quantiles of p_read on `queries`. The
// points have increasing thresholds and non-increasing work. `data` describes the data set;
// directories are removed from it. Fails for models that make no read/skim decision.
Result<Calibration> calibrate(const Model& model, std::span<const Query> queries,
                              std::string_view data, const CalibrateOptions& options = {},
                              const Progress& progress = {});

// The name of a data set without its directories: models are shared, and local paths are private.
std::string describe_data(std::string_view data);

// Returns the thresholds to measure in increasing order: 0, 0.5, 1 and quantiles of `p_read`, which
// it sorts in place.
std::vector<float> calibration_thresholds(std::span<float> p_read, int points);

// Replaces the measured work by its non-increasing isotonic regression (pool adjacent violators).
void fit_isotonic(std::span<Calibration::Point> points);

}  // namespace skim
