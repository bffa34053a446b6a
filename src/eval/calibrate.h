// Which threshold leads to which share of the plain reader's work.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "eval/progress.h"
#include "skim/model.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

struct CalibrateOptions {
  int threads = 0;  // < 1 takes one a core
  int points = 33;  // thresholds to measure, the ends and the model's own choice included
};

// Measures the mean counted work at thresholds that lie where the model's decisions lie: quantiles
// of p_read on these very texts. The result rises in threshold and never rises in work. `data`
// says what it was measured on, and is kept without folders. A model that has nothing to decide is
// an error.
Result<Calibration> calibrate(const Model& model, std::span<const Query> queries,
                              std::string_view data, const CalibrateOptions& options = {},
                              const Progress& progress = {});

// Thresholds to measure: 0, 0.5, 1 and quantiles of `p_read` (may be reordered), rising.
std::vector<float> calibration_thresholds(std::span<float> p_read, int points);

// Makes measured work fall: neighbours that rise are replaced by their mean, the closest falling
// sequence in the least-squares sense.
void make_falling(std::span<Calibration::Point> points);

}  // namespace skim
