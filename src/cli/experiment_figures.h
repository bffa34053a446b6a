// The figures of the report, from what the rows found.
#pragma once

#include <string>
#include <vector>

#include "cli/chart.h"
#include "cli/experiment_summary.h"
#include "skim/result.h"

namespace skim::cli {

struct NamedChart {
  std::string name;  // of the file, without its ending
  Chart chart;
};

// All figures there is something for: the effect of d' and of gamma, of the latter on each layer,
// what models of every size cost and reach, accuracy against work by threshold, and speed (from
// speed/bench.json among the results).
Result<std::vector<NamedChart>> experiment_figures(const std::vector<RowSummary>& all,
                                                   const std::string& results);

}  // namespace skim::cli
