// What the seeds of a row found, taken together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "experiment/config.h"
#include "skim/result.h"

namespace skim::cli {

struct Spread {
  double mean = 0, low = 0, high = 0;
};
// Of the numbers at `path` ("test/flop_reduction/paper") in the runs that have one.
std::optional<Spread> spread_of(const std::vector<Json>& runs, const std::string& path);

struct RowSummary {
  Row row;
  std::vector<Json> runs;  // of the row as it is now: other options do not count

  std::optional<Spread> at(const std::string& path) const { return spread_of(runs, path); }
};

// Of all rows that have been run.
Result<std::vector<RowSummary>> summaries(const std::vector<Row>& rows, const std::string& results);

}  // namespace skim::cli
