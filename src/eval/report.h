// What an evaluation found, and where.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
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
  std::size_t impossible = 0, unaligned = 0;  // of the file (Dataset)
  std::size_t words = 0;
  Marks marks;
  double skim_rate = 0;
  Costs costs;
  std::vector<PassRate> passes;
  std::optional<Timing> timing;
  std::vector<std::string> labels;
  Confusion confusion;
  Machine machine;
  std::string version;
};

// The fields `skim eval --json` promises in docs/cli.md.
Json to_json(const Report& report);

// The parts other outputs share.
// {"accuracy": ...}, or {"exact_match": ..., "f1": ...}.
Json marks_json(const Marks& marks);
Json passes_json(const std::vector<PassRate>& passes);
Json flop_reduction_json(const Costs& costs);
// The threshold, or null when the policy does not go by one.
Json threshold_json(const Policy& policy);
// Rounded to six significant digits: what a float holds, without the noise of its last bits.
double tidy(double value);

}  // namespace skim
