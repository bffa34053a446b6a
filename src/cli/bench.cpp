#include "base/json.h"
#include "bench/speed.h"
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
  return print(chosen.json ? to_text(rows_json(*rows)) + "\n" : rows_text(*rows));
}

}  // namespace skim::cli
