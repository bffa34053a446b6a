#include <unistd.h>

#include "cli/evaluation.h"
#include "cli/html.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/evaluate.h"

namespace skim::cli {
namespace {

struct EvalOptions {
  ModelChoice model;
  PolicyChoice policy;
  DataChoice data;
  TimingChoice timing;
  bool no_speed = false;
  bool json = false;
};

void declare_all(Options& options, EvalOptions& chosen) {
  declare(options, chosen.data);
  declare(options, chosen.model);
  declare(options, chosen.policy);
  options.add_flag("--no-speed", chosen.no_speed, "do not measure speed");
  declare(options, chosen.timing);
  options.add_flag("--json", chosen.json, "the report as JSON");
  options.add_example("skim eval test.tsv --model imdb.skim");
  options.add_example("skim eval test.csv --model imdb.skim --budget 0.2 --json");
}

std::string times(double factor) { return number_text(factor, 2) + "x"; }

void add_speed(const Timing& timing, Table& table) {
  table.rows.push_back({"speed-up, text to answer", times(timing.speedup)});
  table.rows.push_back({"speed-up of reading alone", times(timing.reading_speedup)});
  table.rows.push_back({"microseconds a word", number_text(timing.per_word, 3)});
  table.rows.push_back({"  of the plain reader", number_text(timing.plain_per_word, 3)});
  table.rows.push_back({"  of finding the words", number_text(timing.tokenizing_per_word, 3)});
  table.rows.push_back({"microseconds a text, p50", number_text(timing.per_text_p50, 1)});
  table.rows.push_back({"microseconds a text, p99", number_text(timing.per_text_p99, 1)});
}

Table summary_table(const Report& report) {
  Table table;
  const auto row = [&table](std::string name, std::string value) {
    table.rows.push_back({std::move(name), std::move(value)});
  };
  row("examples", std::to_string(report.examples));
  if (report.impossible > 0)
    row("questions without an answer, left out", std::to_string(report.impossible));
  row("words", std::to_string(report.words));
  row(report.marks.f1 ? "exact match" : "accuracy", percent_text(report.marks.accuracy, 2));
  if (report.marks.f1) row("F1", percent_text(*report.marks.f1, 2));
  row("skim rate", percent_text(report.skim_rate, 2));
  row("Flop-r, the paper's rule", times(report.costs.paper.reduction()));
  row("Flop-r, every product counted", times(report.costs.counted.reduction()));
  row("Flop-r, executed here", times(report.costs.executed.reduction()));
  if (report.unaligned > 0)
    row("right answers that do not stand in their text", std::to_string(report.unaligned));
  for (const PassRate& pass : report.passes) {
    if (report.passes.size() > 1)
      row("skimmed by " + pass.reader, percent_text(pass.skim_rate(), 2));
  }
  if (report.timing) add_speed(*report.timing, table);
  return table;
}

Table label_table(const Report& report) {
  Table table{{"label", "examples", "recall", "precision"}, {}};
  for (std::size_t i = 0; i < report.labels.size(); ++i) {
    table.rows.push_back({report.labels[i], std::to_string(report.confusion.support(i)),
                          percent_text(report.confusion.recall(i), 1),
                          percent_text(report.confusion.precision(i), 1)});
  }
  return table;
}

std::string report_text(const Report& report) {
  std::string text = printable(report.model + " on " + report.data) + "\n\n";
  text += table_text(summary_table(report));
  if (!report.labels.empty()) text += "\n" + table_text(label_table(report));
  if (report.timing) {
    text += "\nTimed on one thread, " + std::to_string(report.timing->texts) + " texts, best of " +
            std::to_string(report.timing->rounds) +
            " rounds, plain and skim in turn: " + to_string(report.machine) + ".\n";
  }
  return text;
}

Result<Report> make_report(const EvalOptions& chosen) {
  const auto model = load_model(chosen.model);
  if (!model) return tl::make_unexpected(model.error());
  const auto policy = policy_for(*model, chosen.policy);
  if (!policy) return tl::make_unexpected(policy.error());
  const auto set = load_test_set(chosen.data, *model);
  if (!set) return tl::make_unexpected(set.error());
  EvaluateOptions options;
  options.policy = *policy;
  options.threads = chosen.data.threads;
  options.timing = chosen.timing.options();
  if (chosen.no_speed) options.timing.reset();
  ProgressBar bar("eval", chosen.data.progress());
  return evaluate(*model, *set, options, bar.listener());
}

}  // namespace

int eval_verb(Arguments arguments) {
  EvalOptions chosen;
  Options options("eval", "Accuracy, skim rate, work saved and speed of a model on a data set.",
                  "FILE [options]");
  declare_all(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  for (const auto& fault :
       {fault_of(chosen.policy), fault_of(chosen.data), fault_of(chosen.timing)}) {
    if (!fault.empty()) return wrong_usage("eval", fault);
  }
  const auto report = make_report(chosen);
  if (!report) return failed("eval", report.error());
  return print(chosen.json ? to_text(to_json(*report)) + "\n" : report_text(*report));
}

}  // namespace skim::cli
