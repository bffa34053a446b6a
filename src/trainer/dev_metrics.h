// The metrics on dev of models whose answer is not one label, read by the runtime.
#pragma once

#include <optional>

#include "eval/test_set.h"
#include "skim/model.h"
#include "skim/result.h"
#include "train/job.h"

namespace skim::cli {

// Reads dev with the trained model. Tunes the thresholds of labels and stores them in the draft of
// the report. Nothing for other models.
Result<std::optional<Metrics>> measure_dev(const Model& model, train::JobReport& report);

}  // namespace skim::cli
