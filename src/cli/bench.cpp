#include <utility>

#include "base/json.h"
#include "bench/speed.h"
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
  std::string small_input = "prefix";
  std::string inputs = "folded";
  bool json = false;
  bool quiet = false;
};

constexpr std::array<std::pair<const char*, const char*>, 4> kRenamed = {
    {{"--hidden", "--hidden-size"},
     {"--small", "--skim-size"},
     {"--small-sees", "--small-input"},
     {"--vocabulary", "--vocab-size"}}};

void declare(Options& options, BenchOptions& chosen) {
  SpeedOptions& speed = chosen.speed;
  options.add("--hidden-size", speed.hidden_sizes, "D,D,...", "hidden sizes (default 100,200,400)");
  options.add("--skim-size", speed.skim_sizes, "D,D,...",
              "hidden sizes of the small cell (default 10)");
  options.add("--skim-rates", speed.skim_rates, "R,R,...",
              "shares of skimmed words (default 0.5,0.8,0.9,0.95)");
  options.add_choice("--cell", chosen.cell, {"lstm", "gru", "rnn"}, "the cell (default lstm)");
  options.add_choice("--weights", chosen.weights, {"f32", "bf16", "int8"},
                     "weight type of the big cell (default f32)");
  options.add_choice("--small-input", chosen.small_input, {"prefix", "full"},
                     "part of the state that the small cell reads (default prefix)");
  options.add_choice("--inputs", chosen.inputs, {"folded", "rows"},
                     "words in folded embedding tables, or dense input rows (default folded)");
  options.add("--sequence", speed.sequence_length, "N", "words per text (default 100)");
  options.add("--vocab-size", speed.vocab_size, "N", "distinct words (default 20000)");
  options.add("--rounds", speed.rounds, "N", "number of interleaved rounds (default 20)");
  options.add("--batch", speed.batch, "N",
              "measure N texts in flight per thread as well, 1 to 16 (default: only one text at a "
              "time)");
  options.add_bounds("--batch", 1, 16);
  options.add("--seed", speed.seed, "N", "random seed of words and decisions (default 1)");
  for (const auto& [old_name, new_name] : kRenamed) options.add_renamed(old_name, new_name);
  options.add_renamed("--html", "reproduction/plot, which draws what --json prints");
  options.add_flag("--json", chosen.json, "the rows as JSON");
  options.add_flag("--quiet", chosen.quiet, "no progress bar");
  options.add_example("taskset -c 0 skim bench --hidden-size 100,200 --json");
  options.add_example("taskset -c 0 skim bench --batch 8");
}

// The option parser has checked the name.
template <class E>
E parse_checked(const std::string& name) {
  return enum_from_name<E>(name, "").value_or(E{});
}

SpeedOptions speed_options(const BenchOptions& chosen) {
  SpeedOptions options = chosen.speed;
  options.cell = parse_checked<Cell>(chosen.cell);
  options.weight_type = parse_checked<WeightType>(chosen.weights);
  options.small_input = parse_checked<SmallInput>(chosen.small_input);
  options.inputs = chosen.inputs == "rows" ? Inputs::rows : Inputs::folded;
  return options;
}

Json batch_json(const BatchSpeed& batch) {
  return {{"texts", batch.texts},
          {"dense_ns_per_word", round_significant(batch.dense_ns)},
          {"skim_ns_per_word", round_significant(batch.skim_ns)},
          {"dense_gain", round_significant(batch.dense_gain)},
          {"skim_gain", round_significant(batch.skim_gain)},
          {"speedup", round_significant(batch.speedup)}};
}

// The figures outside of "batch" are of one text at a time.
Json row_json(const SpeedRow& row) {
  return {{"cell", to_string(row.cell)},
          {"hidden_size", row.hidden_size},
          {"skim_size", row.skim_size},
          {"skim_rate", round_significant(row.skim_rate)},
          {"dense_ns_per_word", round_significant(row.dense_ns)},
          {"skim_ns_per_word", round_significant(row.skim_ns)},
          {"skimmed_word_ns", round_significant(row.skimmed_word_ns)},
          {"speedup", round_significant(row.speedup)},
          {"flop_reduction", flop_reduction_json(row.costs)},
          {"share_of_executed", round_significant(row.share_of_executed())},
          {"weight_type", to_string(row.weight_type)},
          {"inputs", row.inputs == Inputs::rows ? "rows" : "folded"},
          {"weight_bytes", row.weight_bytes},
          {"bandwidth_bytes_per_ns", round_significant(row.bandwidth)},
          {"share_of_bandwidth", round_significant(row.share_of_bandwidth)}};
}

Json rows_json(const std::vector<SpeedRow>& rows) {
  Json json = Json::array();
  for (const SpeedRow& row : rows) {
    json.push_back(row_json(row));
    if (row.batch) json.back()["batch"] = batch_json(*row.batch);
  }
  return json;
}

std::string format_ratio(double ratio) { return format_number(ratio, 2) + "x"; }

Table rows_table(const std::vector<SpeedRow>& rows) {
  Table table{{"cell", "hidden size", "skim size", "skimmed", "dense ns", "skim ns",
               "skimmed word ns", "speed-up", "paper", "counted", "executed", "share", "bandwidth"},
              {}};
  for (const SpeedRow& row : rows) {
    table.rows.push_back(
        {std::string(to_string(row.cell)), std::to_string(row.hidden_size),
         std::to_string(row.skim_size), format_percent(row.skim_rate, 1),
         format_number(row.dense_ns, 0), format_number(row.skim_ns, 0),
         format_number(row.skimmed_word_ns, 0), format_ratio(row.speedup),
         format_ratio(row.costs.paper.reduction()), format_ratio(row.costs.counted.reduction()),
         format_ratio(row.costs.executed.reduction()), format_percent(row.share_of_executed(), 0),
         format_percent(row.share_of_bandwidth, 0)});
  }
  return table;
}

// Both modes side by side, so that no speed-up compares one with the other.
Table batch_table(const std::vector<SpeedRow>& rows) {
  Table table{{"cell", "hidden size", "skim size", "skimmed", "dense ns single", "batch", "gain",
               "skim ns single", "batch", "gain", "speed-up single", "batch"},
              {}};
  for (const SpeedRow& row : rows) {
    table.rows.push_back({std::string(to_string(row.cell)), std::to_string(row.hidden_size),
                          std::to_string(row.skim_size), format_percent(row.skim_rate, 1),
                          format_number(row.dense_ns, 0), format_number(row.batch->dense_ns, 0),
                          format_ratio(row.batch->dense_gain), format_number(row.skim_ns, 0),
                          format_number(row.batch->skim_ns, 0), format_ratio(row.batch->skim_gain),
                          format_ratio(row.speedup), format_ratio(row.batch->speedup)});
  }
  return table;
}

std::string batch_text(const std::vector<SpeedRow>& rows) {
  return "\nSingle: one text at a time, as above. Batch: " +
         std::to_string(rows.front().batch->texts) +
         " texts in flight on one thread, for both readers.\n" + table_text(batch_table(rows)) +
         "\nGain: single over batch. Speed-up: dense over skim of the same mode.\n";
}

std::string rows_text(const std::vector<SpeedRow>& rows) {
  return table_text(rows_table(rows)) +
         "\nNanoseconds per word, one thread, one text at a time, random decisions. Share: "
         "speed-up "
         "over the executed FLOP reduction.\nBandwidth: weight bytes per ns of the dense step over "
         "the measured memory bandwidth.\n" +
         (rows.front().batch ? batch_text(rows) : "") +
         "Machine: " + printable(to_string(this_machine())) + "\n";
}

}  // namespace

int bench_verb(Arguments arguments) {
  BenchOptions chosen;
  Options options("bench",
                  "Measures skimming readers against the dense reader of the same size with "
                  "random decisions, and the upper bound from the FLOPs saved.",
                  "[options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  Result<std::vector<SpeedRow>> rows;
  {
    ProgressBar bar("bench", chosen.quiet ? ProgressBar::Mode::hidden : ProgressBar::Mode::shown);
    bar.update(0);
    rows = measure_speed(speed_options(chosen), bar.callback());
  }
  if (!rows && rows.error().fault == Fault::argument)
    return usage_error("bench", rows.error().message);
  if (!rows) return failed("bench", rows.error());
  if (rows->empty())
    return usage_error("bench", "nothing to measure; give at least one size and skim rate");
  return print(chosen.json ? to_text(rows_json(*rows)) + "\n" : rows_text(*rows));
}

}  // namespace skim::cli
