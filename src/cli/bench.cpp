#include <algorithm>
#include <map>

#include "base/file.h"
#include "base/json.h"
#include "bench/speed.h"
#include "cli/chart.h"
#include "cli/html.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/machine.h"
#include "eval/report.h"
#include "spec/names.h"

namespace skim::cli {
namespace {

struct BenchOptions {
  SpeedOptions speed;
  std::string cell = "lstm";
  std::string weights = "f32";
  std::string small_sees = "head";
  std::string inputs = "folded";
  std::string html;
  bool json = false;
  bool quiet = false;
};

void declare_all(Options& options, BenchOptions& chosen) {
  SpeedOptions& speed = chosen.speed;
  options.add("--hidden", speed.hidden, "D,D,...", "sizes of the state (default 100,200,400)");
  options.add("--small", speed.small, "D,D,...", "sizes of the small cell (default 10)");
  options.add("--skim-rates", speed.skim_rates, "R,R,...",
              "shares of words that are skimmed (default 0.5,0.8,0.9,0.95)");
  options.add_choice("--cell", chosen.cell, {"lstm", "gru", "rnn"}, "the cell (default lstm)");
  options.add_choice("--weights", chosen.weights, {"f32", "bf16", "int8"},
                     "of the big cell (default f32)");
  options.add_choice("--small-sees", chosen.small_sees, {"head", "all"},
                     "what the small cell sees of the state (default head)");
  options.add_choice("--inputs", chosen.inputs, {"folded", "rows"},
                     "words looked up in folded tables, or rows of numbers (default folded)");
  options.add("--sequence", speed.sequence, "N", "words a text (default 100)");
  options.add("--vocabulary", speed.vocabulary, "N", "distinct words (default 20000)");
  options.add("--rounds", speed.rounds, "N", "how often everyone takes a turn (default 20)");
  options.add("--seed", speed.seed, "N", "of words and decisions (default 1)");
  options.add_flag("--json", chosen.json, "the rows as JSON");
  options.add("--html", chosen.html, "FILE", "also write a page that draws them");
  options.add_flag("--quiet", chosen.quiet, "no progress bar");
  options.add_example("taskset -c 0 skim bench --hidden 100,200 --json");
}

// The choices were checked when they were parsed.
template <class E>
E chosen_value(const std::string& name) {
  return value_named<E>(name, "").value_or(E{});
}

SpeedOptions speed_options(const BenchOptions& chosen) {
  SpeedOptions options = chosen.speed;
  options.cell = chosen_value<Cell>(chosen.cell);
  options.weights = chosen_value<WeightType>(chosen.weights);
  options.small_sees = chosen_value<SmallSees>(chosen.small_sees);
  options.inputs = chosen.inputs == "rows" ? Inputs::rows : Inputs::folded;
  return options;
}

Json row_json(const SpeedRow& row) {
  return {{"cell", name_of(row.cell)},
          {"hidden", row.hidden},
          {"small", row.small},
          {"skim_rate", tidy(row.skim_rate)},
          {"plain_ns_per_word", tidy(row.plain_ns)},
          {"skim_ns_per_word", tidy(row.skim_ns)},
          {"skimmed_word_ns", tidy(row.skimmed_ns)},
          {"speedup", tidy(row.speedup)},
          {"flop_reduction", flop_reduction_json(row.costs)},
          {"share_of_executed", tidy(row.share_of_executed())},
          {"weights", name_of(row.weights)},
          {"inputs", row.inputs == Inputs::rows ? "rows" : "folded"},
          {"weight_bytes", row.weight_bytes},
          {"bandwidth_bytes_per_ns", tidy(row.bandwidth)},
          {"share_of_bandwidth", tidy(row.share_of_bandwidth)}};
}

Json rows_json(const std::vector<SpeedRow>& rows) {
  Json json = Json::array();
  for (const SpeedRow& row : rows) json.push_back(row_json(row));
  return json;
}

Table rows_table(const std::vector<SpeedRow>& rows) {
  Table table{{"cell", "hidden", "small", "skimmed", "plain ns", "skim ns", "a skim ns", "speed-up",
               "paper", "counted", "executed", "share", "bandwidth"},
              {}};
  for (const SpeedRow& row : rows) {
    table.rows.push_back(
        {std::string(name_of(row.cell)), std::to_string(row.hidden), std::to_string(row.small),
         percent_text(row.skim_rate, 1), number_text(row.plain_ns, 0), number_text(row.skim_ns, 0),
         number_text(row.skimmed_ns, 0), number_text(row.speedup, 2) + "x",
         number_text(row.costs.paper.reduction(), 2) + "x",
         number_text(row.costs.counted.reduction(), 2) + "x",
         number_text(row.costs.executed.reduction(), 2) + "x",
         percent_text(row.share_of_executed(), 0), percent_text(row.share_of_bandwidth, 0)});
  }
  return table;
}

std::string rows_text(const std::vector<SpeedRow>& rows) {
  return table_text(rows_table(rows)) +
         "\nNanoseconds a word, one thread, random decisions. Share: speed-up over the executed "
         "Flop-r.\nBandwidth: the plain step's weights over what this machine can read of as many "
         "bytes.\nMachine: " +
         printable(to_string(this_machine())) + "\n";
}

ChartPoint point_of(const SpeedRow& row) {
  return {row.skim_rate,
          row.speedup,
          {"d = " + std::to_string(row.hidden) + ", d' = " + std::to_string(row.small),
           "skimmed " + percent_text(row.skim_rate, 1),
           "speed-up " + number_text(row.speedup, 2) + "\u00D7",
           "executed Flop-r " + number_text(row.costs.executed.reduction(), 2) + "\u00D7"}};
}

Chart speed_chart(const std::vector<SpeedRow>& rows) {
  Chart chart;
  chart.title = "Speed-up against the share of words skimmed, with the bound beside it";
  chart.x = {"words skimmed", Unit::percent, Scale::linear};
  chart.y = {"times faster than the plain reader", Unit::times, Scale::logarithmic};
  std::map<std::pair<int, int>, std::pair<ChartSeries, ChartSeries>> sizes;
  for (const SpeedRow& row : rows) {
    const auto [found, fresh] = sizes.try_emplace({row.hidden, row.small});
    auto& [measured, bound] = found->second;
    measured.points.push_back(point_of(row));
    bound.points.push_back({row.skim_rate, row.costs.executed.reduction(), {}});
  }
  chart.dashed = "executed Flop-r: what the work saved would allow";
  int colour = 0;
  for (auto& [size, series] : sizes) {
    const std::string name =
        "d = " + std::to_string(size.first) + ", d' = " + std::to_string(size.second);
    auto& [measured, bound] = series;
    measured.name = name;
    measured.colour = bound.colour = colour++;
    bound.line = Line::dashed;
    chart.series.push_back(std::move(measured));
    chart.series.push_back(std::move(bound));
  }
  return chart;
}

std::string bench_page(const std::vector<SpeedRow>& rows) {
  const auto best =
      std::max_element(rows.begin(), rows.end(),
                       [](const SpeedRow& a, const SpeedRow& b) { return a.speedup < b.speedup; });
  Page page;
  page.title = "skim bench";
  page.kicker = "skim bench";
  page.heading = "Skimming against plain reading";
  page.body = figures_html({{number_text(best->speedup, 1) + "\u00D7", "largest speed-up"},
                            {percent_text(best->skim_rate, 0), "skimmed there"},
                            {number_text(rows.front().plain_ns, 0) + " ns",
                             "a plain word, d = " + std::to_string(rows.front().hidden)},
                            {number_text(rows.front().skimmed_ns, 0) + " ns", "a skimmed word"}});
  page.body += "<section><h2>Speed-up, measured and possible</h2>\n" +
               chart_html(speed_chart(rows)) + "</section>\n<section><h2>All rows</h2>\n" +
               table_html(rows_table(rows)) +
               "<p class=\"note\">Nanoseconds a word on one thread, random decisions; plain and "
               "skimming readers take turns in the same run. Share: speed-up over the executed "
               "Flop-r.</p></section>\n";
  page.footer = "skim " SKIM_VERSION ", " + to_string(this_machine());
  return page_text(page);
}

}  // namespace

int bench_verb(Arguments arguments) {
  BenchOptions chosen;
  Options options("bench",
                  "Speed of skimming readers against the plain reader of the same size, with "
                  "random decisions, and the bound that the work saved sets.",
                  "[options]");
  declare_all(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  Result<std::vector<SpeedRow>> rows;
  {
    ProgressBar bar("bench", chosen.quiet ? ProgressBar::Mode::hidden : ProgressBar::Mode::shown);
    bar.show(0);
    rows = measure_speed(speed_options(chosen), [&bar](std::size_t done, std::size_t all) {
      bar.show(static_cast<double>(done) / static_cast<double>(all));
    });
  }
  if (!rows) return failed("bench", rows.error());
  if (rows->empty()) return wrong_usage("bench", "there is nothing to measure");
  if (!chosen.html.empty()) {
    if (const auto written = write_atomically(chosen.html, bench_page(*rows)); !written) {
      return failed("bench", written.error());
    }
  }
  return print(chosen.json ? to_text(rows_json(*rows)) + "\n" : rows_text(*rows));
}

}  // namespace skim::cli
