#include "eval/sweep.h"

#include <algorithm>

#include "cli/evaluation.h"
#include "cli/html.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/machine.h"
#include "eval/report.h"

namespace skim::cli {
namespace {

struct SweepChoice {
  ModelChoice model;
  DataChoice data;
  TimingChoice timing{1, 7};
  std::vector<double> thresholds;
  bool speed = false;
  bool json = false;
};

void declare_all(Options& options, SweepChoice& chosen) {
  declare(options, chosen.data);
  declare(options, chosen.model);
  options.add("--thresholds", chosen.thresholds, "T,T,...",
              "thresholds to try, 0 to 1 (default: 17 of them, closer at the ends)");
  options.add_flag("--speed", chosen.speed, "measure the speed-up at each threshold, too");
  declare(options, chosen.timing);
  options.add_flag("--json", chosen.json, "the rows as JSON");
  options.add_example("skim sweep dev.tsv --model imdb.skim --json");
}

std::string fault_of(const SweepChoice& chosen) {
  const bool shares =
      std::all_of(chosen.thresholds.begin(), chosen.thresholds.end(),
                  [](double threshold) { return threshold >= 0 && threshold <= 1; });
  if (!shares) return "--thresholds must be numbers from 0 to 1";
  const std::string fault = fault_of(chosen.data);
  return fault.empty() ? fault_of(chosen.timing) : fault;
}

struct Swept {
  std::string model;
  std::string data;
  std::size_t examples = 0;
  std::vector<SweepRow> rows;
  Machine machine;
};

Result<Swept> sweep_all(const SweepChoice& chosen) {
  const auto model = load_model(chosen.model);
  if (!model) return tl::make_unexpected(model.error());
  const auto set = load_test_set(chosen.data, *model);
  if (!set) return tl::make_unexpected(set.error());
  SweepOptions options;
  options.thresholds.assign(chosen.thresholds.begin(), chosen.thresholds.end());
  if (options.thresholds.empty()) options.thresholds = default_thresholds();
  std::sort(options.thresholds.begin(), options.thresholds.end());
  options.threads = chosen.data.threads;
  if (chosen.speed) options.timing = chosen.timing.options();
  ProgressBar bar("sweep", chosen.data.progress());
  auto rows = sweep(*model, *set, options, bar.listener());
  if (!rows) return tl::make_unexpected(rows.error());
  return Swept{model->name(), set->name, set->queries.size(), std::move(*rows), this_machine()};
}

std::string measure_of(const Swept& swept) {
  return swept.rows.empty() ? "accuracy" : swept.rows.front().marks.chief_name();
}

Json row_json(const SweepRow& row) {
  Json json = {{"threshold", tidy(static_cast<double>(row.threshold))}};
  json.update(marks_json(row.marks));
  json.update({{"skim_rate", tidy(row.skim_rate)},
               {"work", tidy(row.work)},
               {"flop_reduction", flop_reduction_json(row.costs)}});
  if (row.timing) {
    json["speedup"] = tidy(row.timing->speedup);
    json["microseconds"] = {{"per_word", tidy(row.timing->per_word)}};
  }
  return json;
}

Json swept_json(const Swept& swept) {
  Json rows = Json::array();
  for (const SweepRow& row : swept.rows) rows.push_back(row_json(row));
  return {{"model", swept.model},
          {"data", swept.data},
          {"examples", swept.examples},
          {"rows", std::move(rows)},
          {"machine", to_json(swept.machine)},
          {"version", SKIM_VERSION}};
}

Table rows_table(const Swept& swept) {
  Table table{{"threshold", measure_of(swept), "skim rate", "paper", "counted", "executed"}, {}};
  const bool speed = !swept.rows.empty() && swept.rows.front().timing.has_value();
  if (speed) table.header.insert(table.header.end(), {"speed-up", "us a word"});
  for (const SweepRow& row : swept.rows) {
    std::vector<std::string> cells = {number_text(static_cast<double>(row.threshold), 2),
                                      percent_text(row.marks.chief(), 2),
                                      percent_text(row.skim_rate, 1),
                                      number_text(row.costs.paper.reduction(), 2) + "x",
                                      number_text(row.costs.counted.reduction(), 2) + "x",
                                      number_text(row.costs.executed.reduction(), 2) + "x"};
    if (speed) {
      cells.push_back(number_text(row.timing->speedup, 2) + "x");
      cells.push_back(number_text(row.timing->per_word, 3));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

int sweep_verb(Arguments arguments) {
  SweepChoice chosen;
  Options options("sweep", "The trade-off between accuracy and work: one row a threshold.",
                  "FILE [options]");
  declare_all(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto fault = fault_of(chosen); !fault.empty()) return wrong_usage("sweep", fault);
  const auto swept = sweep_all(chosen);
  if (!swept) return failed("sweep", swept.error());
  return print(chosen.json ? to_text(swept_json(*swept)) + "\n" : table_text(rows_table(*swept)));
}

}  // namespace skim::cli
