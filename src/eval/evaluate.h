// Evaluates a model with a policy on a data set.
#pragma once

#include <optional>

#include "base/progress.h"
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
  int threads = 0;  // for accuracy and cost, < 1: one per core; timing always uses one thread
  std::optional<double> abstain;  // below this confidence, softmax classifiers only
  bool early_answers = false;     // measure them for several confidences, if the model has them
  std::optional<TimingOptions> timing = TimingOptions{};  // unset: no timing
};

// Computes accuracy, skim rate, cost and (unless disabled) speed. Fails when a query cannot be
// read.
Result<Report> evaluate(const Model& model, const TestSet& set, const EvaluateOptions& options,
                        const Progress& progress = {});

}  // namespace skim
