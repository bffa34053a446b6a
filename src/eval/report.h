// The result of an evaluation and its JSON form.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "eval/confidence.h"
#include "eval/early_answer.h"
#include "eval/machine.h"
#include "eval/tally.h"
#include "eval/test_set.h"
#include "eval/timing.h"
#include "skim/policy.h"
#include "skim/trace.h"
#include "tasks/metrics.h"

namespace skim {

struct Report {
  std::string model;
  std::string data;
  Policy policy;
  std::size_t examples = 0;
  std::size_t impossible = 0, unaligned = 0;  // see Dataset
  std::size_t words = 0;
  Metrics metrics;
  double skim_rate = 0;
  double unseen_share = 0;  // of the words, those never looked at (Policy::confident)
  Costs costs;
  std::vector<PassRate> passes;
  std::optional<Timing> timing;
  std::vector<std::string> labels;
  ConfusionMatrix confusion;                   // empty for multi-label models
  std::vector<float> label_thresholds;         // of multi-label models
  std::optional<ConfidenceReport> confidence;  // of softmax classifiers
  std::vector<EarlyAnswerRow> early_answers;   // empty unless they were measured
  Machine machine;
  std::string version;
};

// The fields of `skim eval --json`, see docs/cli.md.
Json to_json(const Report& report);

// Parts that several outputs share.
// {"accuracy": ...}, {"exact_match": ..., "f1": ...}, {"micro_f1": ..., ...} or {"mae": ..., ...}.
Json metrics_json(const Metrics& metrics);
Json passes_json(const std::vector<PassRate>& passes);
Json flop_reduction_json(const Costs& costs);
// The threshold, or null when the policy does not use one.
Json threshold_json(const Policy& policy);
// The primary metric in words: "91.20 %", or "0.713" for an error.
std::string primary_text(const Metrics& metrics);
// Rounds to six significant digits, the precision of a float.
double round_significant(double value);

}  // namespace skim
