#include "eval/sweep.h"

#include <algorithm>

#include "base/result_macros.h"
#include "cli/evaluation.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/machine.h"
#include "eval/report.h"
#include "skim/version.h"

namespace skim::cli {
namespace {

struct SweepVerbOptions {
  ModelChoice model;
  DataChoice data;
  TimingChoice timing{1, 7};
  std::vector<double> thresholds;
  bool speed = false;
  bool json = false;
};

void declare(Options& options, SweepVerbOptions& chosen) {
  declare(options, chosen.data);
  declare(options, chosen.model);
  options.add("--thresholds", chosen.thresholds, "T,T,...",
              "thresholds to evaluate, 0 to 1 (default: 17, denser at the ends)");
  options.add_flag("--speed", chosen.speed, "also measure the speed-up at each threshold");
  declare(options, chosen.timing);
  options.add_renamed("--html", "reproduction/plot, which draws what --json prints");
  options.add_flag("--json", chosen.json, "the rows as JSON");
  options.add_example("skim sweep dev.tsv --model imdb.skim --json");
}

std::string validate(const SweepVerbOptions& chosen) {
  const bool valid = std::all_of(chosen.thresholds.begin(), chosen.thresholds.end(),
                                 [](double threshold) { return threshold >= 0 && threshold <= 1; });
  if (!valid) return "--thresholds must be numbers from 0 to 1";
  const std::string fault = validate(chosen.data);
  return fault.empty() ? validate(chosen.timing) : fault;
}

struct SweepResult {
  std::string model;
  std::string data;
  std::size_t examples = 0;
  std::vector<SweepRow> rows;
  Machine machine;
};

Result<SweepResult> run_sweep(const SweepVerbOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto model, load_model(chosen.model));
  SKIM_ASSIGN_OR_RETURN(const auto set, load_test_set(chosen.data, model));
  SweepOptions options;
  options.thresholds.assign(chosen.thresholds.begin(), chosen.thresholds.end());
  if (options.thresholds.empty()) options.thresholds = default_thresholds();
  std::sort(options.thresholds.begin(), options.thresholds.end());
  options.threads = chosen.data.threads;
  if (chosen.speed) options.timing = chosen.timing.options();
  ProgressBar bar("sweep", chosen.data.progress());
  SKIM_ASSIGN_OR_RETURN(auto rows, sweep(model, set, options, bar.callback()));
  return SweepResult{model.name(), set.name, set.queries.size(), std::move(rows), this_machine()};
}

std::string metric_name(const SweepResult& result) {
  return result.rows.empty() ? "accuracy" : result.rows.front().metrics.primary_name();
}

Json row_json(const SweepRow& row) {
  Json json = {{"threshold", round_significant(static_cast<double>(row.threshold))}};
  json.update(metrics_json(row.metrics));
  json.update({{"skim_rate", round_significant(row.skim_rate)},
               {"work", round_significant(row.work)},
               {"flop_reduction", flop_reduction_json(row.costs)}});
  if (row.timing) {
    json["speedup"] = round_significant(row.timing->speedup);
    json["microseconds"] = {{"per_word", round_significant(row.timing->per_word)}};
  }
  return json;
}

Json result_json(const SweepResult& result) {
  Json rows = Json::array();
  for (const SweepRow& row : result.rows) rows.push_back(row_json(row));
  return {{"model", result.model},
          {"data", result.data},
          {"examples", result.examples},
          {"rows", std::move(rows)},
          {"machine", to_json(result.machine)},
          {"version", SKIM_VERSION}};
}

Table rows_table(const SweepResult& result) {
  Table table{{"threshold", metric_name(result), "skim rate", "paper", "counted", "executed"}, {}};
  const bool speed = !result.rows.empty() && result.rows.front().timing.has_value();
  if (speed) table.header.insert(table.header.end(), {"speed-up", "us per word"});
  for (const SweepRow& row : result.rows) {
    std::vector<std::string> cells = {format_number(static_cast<double>(row.threshold), 2),
                                      primary_text(row.metrics),
                                      format_percent(row.skim_rate, 1),
                                      format_number(row.costs.paper.reduction(), 2) + "x",
                                      format_number(row.costs.counted.reduction(), 2) + "x",
                                      format_number(row.costs.executed.reduction(), 2) + "x"};
    if (speed) {
      cells.push_back(format_number(row.timing->speedup, 2) + "x");
      cells.push_back(format_number(row.timing->per_word, 3));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

int sweep_verb(Arguments arguments) {
  SweepVerbOptions chosen;
  Options options("sweep", "Evaluates accuracy against work: one row per threshold.",
                  "FILE [options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto fault = validate(chosen); !fault.empty()) return usage_error("sweep", fault);
  const auto result = run_sweep(chosen);
  if (!result) return failed("sweep", result.error());
  return print(chosen.json ? to_text(result_json(*result)) + "\n"
                           : table_text(rows_table(*result)));
}

}  // namespace skim::cli
