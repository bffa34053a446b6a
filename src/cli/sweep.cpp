#include "eval/sweep.h"

#include <algorithm>

#include "base/file.h"
#include "cli/chart.h"
#include "cli/evaluation.h"
#include "cli/html.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/machine.h"
#include "eval/report.h"

namespace skim::cli {
namespace {

struct SweepVerbOptions {
  ModelChoice model;
  DataChoice data;
  TimingChoice timing{1, 7};
  std::vector<double> thresholds;
  bool speed = false;
  bool json = false;
  std::string html;
};

void declare(Options& options, SweepVerbOptions& chosen) {
  declare(options, chosen.data);
  declare(options, chosen.model);
  options.add("--thresholds", chosen.thresholds, "T,T,...",
              "thresholds to evaluate, 0 to 1 (default: 17, denser at the ends)");
  options.add_flag("--speed", chosen.speed, "also measure the speed-up at each threshold");
  declare(options, chosen.timing);
  options.add_flag("--json", chosen.json, "the rows as JSON");
  options.add("--html", chosen.html, "FILE", "also write an HTML page with charts");
  options.add_example("skim sweep dev.tsv --model imdb.skim --html sweep.html");
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
  auto rows = sweep(*model, *set, options, bar.callback());
  if (!rows) return tl::make_unexpected(rows.error());
  return SweepResult{model->name(), set->name, set->queries.size(), std::move(*rows),
                     this_machine()};
}

std::string metric_name(const SweepResult& result) {
  return result.rows.empty() ? "accuracy" : result.rows.front().metrics.primary_name();
}

std::string capitalize(std::string text) {
  if (text.starts_with('a')) text[0] = 'A';
  return text;
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
                                      format_percent(row.metrics.primary(), 2),
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

ChartPoint chart_point(const SweepRow& row, double x, const std::string& what) {
  return {
      x,
      row.metrics.primary(),
      {"threshold " + format_number(static_cast<double>(row.threshold), 2),
       std::string(row.metrics.primary_name()) + " " + format_percent(row.metrics.primary(), 2),
       "skimmed " + format_percent(row.skim_rate, 1), what + " " + format_number(x, 2) + "\u00D7"}};
}

Chart trade_off_chart(const SweepResult& result) {
  Chart chart;
  chart.title = capitalize(metric_name(result)) + " against work saved, one point per threshold";
  chart.x = {"times less work than reading every word", Unit::times, Scale::logarithmic};
  chart.y = {metric_name(result), Unit::percent, Scale::linear};
  ChartSeries counted{"FLOPs saved, counted", {}, Line::solid, 0};
  ChartSeries speed{"measured speed-up", {}, Line::solid, 1};
  for (const SweepRow& row : result.rows) {
    counted.points.push_back(chart_point(row, row.costs.counted.reduction(), "less work"));
    if (row.timing) speed.points.push_back(chart_point(row, row.timing->speedup, "faster"));
  }
  chart.series.push_back(std::move(counted));
  if (!speed.points.empty()) chart.series.push_back(std::move(speed));
  return chart;
}

Chart rate_chart(const SweepResult& result) {
  Chart chart;
  chart.title = "Share of words skimmed against the threshold";
  chart.x = {"threshold: a word is read when p_read is above", Unit::plain, Scale::linear};
  chart.y = {"words skimmed", Unit::percent, Scale::linear};
  ChartSeries series{"skim rate", {}, Line::solid, 2};
  for (const SweepRow& row : result.rows) {
    const auto threshold = static_cast<double>(row.threshold);
    series.points.push_back({threshold,
                             row.skim_rate,
                             {"threshold " + format_number(threshold, 2),
                              "skimmed " + format_percent(row.skim_rate, 1)}});
  }
  chart.series.push_back(std::move(series));
  return chart;
}

std::string result_page(const SweepResult& result) {
  // The best metric; among equals the least work.
  const auto best = std::max_element(
      result.rows.begin(), result.rows.end(), [](const SweepRow& a, const SweepRow& b) {
        return std::pair(a.metrics.primary(), -a.work) < std::pair(b.metrics.primary(), -b.work);
      });
  Page page;
  page.title = "skim sweep: " + result.data;
  page.kicker = "skim sweep";
  page.heading = capitalize(metric_name(result)) + " against work";
  page.body =
      figures_html({{format_percent(best->metrics.primary(), 2),
                     "best " + metric_name(result) + ", with the least work"},
                    {format_number(static_cast<double>(best->threshold), 2), "its threshold"},
                    {format_number(best->costs.counted.reduction(), 1) + "\u00D7",
                     "less work there, all FLOPs counted"},
                    {std::to_string(result.examples), "examples"}});
  page.body += "<section><h2>What less work costs</h2>\n" + chart_html(trade_off_chart(result)) +
               "</section>\n<section><h2>How much is skimmed</h2>\n" +
               chart_html(rate_chart(result)) + "</section>\n<section><h2>All rows</h2>\n" +
               table_html(rows_table(result)) +
               "<p class=\"note\">Paper, counted and executed are three ways to count "
               "FLOPs: dense over skim.</p></section>\n";
  page.footer = "skim " SKIM_VERSION ", model " + result.model + ", data " + result.data + ", " +
                to_string(result.machine);
  return render_page(page);
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
  if (!chosen.html.empty()) {
    if (const auto written = write_atomically(chosen.html, result_page(*result)); !written) {
      return failed("sweep", written.error());
    }
  }
  return print(chosen.json ? to_text(result_json(*result)) + "\n"
                           : table_text(rows_table(*result)));
}

}  // namespace skim::cli
