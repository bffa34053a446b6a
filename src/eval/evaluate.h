// A data set, a model and a policy make a report.
#pragma once

#include <optional>

#include "eval/progress.h"
#include "eval/report.h"
#include "eval/test_set.h"
#include "eval/timing.h"
#include "skim/batch.h"
#include "skim/model.h"
#include "skim/policy.h"
#include "skim/result.h"

namespace skim {

struct EvaluateOptions {
  Policy policy;
  int threads = 0;  // of the exact half; timing always takes one. < 1 takes one a core
  std::optional<TimingOptions> timing = TimingOptions{};  // none: no timing
};

Result<Report> evaluate(const Model& model, const TestSet& set, const EvaluateOptions& options,
                        const Progress& progress = {});

}  // namespace skim
