#include "cli/experiment_summary.h"

#include <algorithm>

#include "experiment/store.h"

namespace skim::cli {
namespace {

std::optional<double> number_at_path(const Json& run, const std::string& path) {
  const Json* at = &run;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string key = path.substr(begin, end - begin);
    if (!at->is_object() || !at->contains(key)) return std::nullopt;
    at = &(*at)[key];
    begin = end + 1;
  }
  if (!at->is_number()) return std::nullopt;
  return at->get<double>();
}

}  // namespace

std::optional<Spread> spread_of(const std::vector<Json>& runs, const std::string& path) {
  std::vector<double> values;
  for (const Json& run : runs) {
    if (const auto value = number_at_path(run, path)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  Spread spread;
  for (const double value : values) spread.mean += value / static_cast<double>(values.size());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  spread.low = *low;
  spread.high = *high;
  return spread;
}

Result<std::vector<RowSummary>> summaries(const std::vector<Row>& rows,
                                          const std::string& results) {
  std::vector<RowSummary> all;
  for (const Row& row : rows) {
    const auto report = load_report(results, row);
    if (!report) return tl::make_unexpected(report.error());
    RowSummary summary{row, {}};
    for (const std::uint64_t seed : row.seeds) {
      if (const Json* run = find_run(*report, row, seed)) summary.runs.push_back(*run);
    }
    if (!summary.runs.empty()) all.push_back(std::move(summary));
  }
  return all;
}

}  // namespace skim::cli
