#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result_macros.h"
#include "cli/abstain_choice.h"
#include "cli/evaluation.h"
#include "cli/output.h"
#include "cli/output_files.h"
#include "cli/reliability_page.h"
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
  std::optional<double> abstain;
  std::string html;
  bool no_speed = false;
  bool json = false;
};

void declare(Options& options, EvalOptions& chosen) {
  declare(options, chosen.data);
  declare(options, chosen.model);
  declare(options, chosen.policy);
  options.add_flag("--no-speed", chosen.no_speed, "skip the speed measurement");
  declare(options, chosen.timing);
  declare_abstain(options, chosen.abstain);
  options.add("--html", chosen.html, "FILE",
              "also write an HTML page with the reliability diagram and the risk-coverage curve");
  options.add_flag("--json", chosen.json, "the report as JSON");
  options.add_example("skim eval test.tsv --model imdb.skim");
  options.add_example("skim eval test.csv --model imdb.skim --budget 0.2 --json");
}

std::string format_factor(double factor) { return format_number(factor, 2) + "x"; }

void add_speed(const Timing& timing, Table& table) {
  table.rows.push_back({"speed-up, text to answer", format_factor(timing.speedup)});
  table.rows.push_back({"speed-up without tokenization", format_factor(timing.reading_speedup)});
  table.rows.push_back({"microseconds per word", format_number(timing.per_word, 3)});
  table.rows.push_back({"  dense reader", format_number(timing.dense_per_word, 3)});
  table.rows.push_back({"  tokenization", format_number(timing.tokenization_per_word, 3)});
  table.rows.push_back({"microseconds per text, p50", format_number(timing.per_text_p50, 1)});
  table.rows.push_back({"microseconds per text, p99", format_number(timing.per_text_p99, 1)});
}

void add_confidence(const ConfidenceReport& confidence, Table& table) {
  table.rows.push_back({"expected calibration error", format_number(confidence.ece, 4)});
  table.rows.push_back({"Brier score", format_number(confidence.brier, 4)});
  table.rows.push_back({"negative log likelihood", format_number(confidence.nll, 4)});
  table.rows.push_back(
      {"area under risk-coverage curve", format_number(confidence.risk_coverage.aurc, 4)});
  if (!confidence.abstention) return;
  const Selection& answered = *confidence.abstention;
  table.rows.push_back({"answered", format_percent(answered.coverage, 2)});
  table.rows.push_back({"accuracy of the answered", format_percent(answered.accuracy, 2)});
}

Table coverage_table(const ConfidenceReport& confidence) {
  Table table{{"answered", "accuracy", "--abstain"}, {}};
  for (const Selection& row : confidence.risk_coverage.rows) {
    table.rows.push_back({format_percent(row.coverage, 1), format_percent(row.accuracy, 2),
                          format_number(row.threshold, 6)});
  }
  return table;
}

Table early_answer_table(const Report& report) {
  Table table{{"--confident", "accuracy", "never looked at", "work"}, {}};
  for (const EarlyAnswerRow& row : report.early_answers) {
    table.rows.push_back({format_number(static_cast<double>(row.confident), 2),
                          format_percent(row.accuracy, 2), format_percent(row.unseen_share, 1),
                          format_percent(row.work, 1)});
  }
  return table;
}

void add_metrics(const Metrics& metrics, Table& table) {
  const auto row = [&table](std::string name, std::string value) {
    table.rows.push_back({std::move(name), std::move(value)});
  };
  if (metrics.multilabel) {
    row("micro F1", format_percent(metrics.multilabel->micro_f1, 2));
    row("macro F1", format_percent(metrics.multilabel->macro_f1, 2));
    row("precision at 1", format_percent(metrics.multilabel->precision_at_1, 2));
    row("subset accuracy", format_percent(metrics.multilabel->subset_accuracy, 2));
  } else if (metrics.regression) {
    row("mean absolute error", format_number(metrics.regression->mae, 4));
    row("root mean squared error", format_number(metrics.regression->rmse, 4));
    row("Pearson correlation", format_number(metrics.regression->pearson, 4));
    row("Spearman correlation", format_number(metrics.regression->spearman, 4));
  } else {
    row(metrics.f1 ? "exact match" : "accuracy", format_percent(metrics.accuracy, 2));
    if (metrics.f1) row("F1", format_percent(*metrics.f1, 2));
  }
}

Table summary_table(const Report& report) {
  Table table;
  const auto row = [&table](std::string name, std::string value) {
    table.rows.push_back({std::move(name), std::move(value)});
  };
  row("examples", std::to_string(report.examples));
  if (report.impossible > 0)
    row("questions without an answer, skipped", std::to_string(report.impossible));
  row("words", std::to_string(report.words));
  add_metrics(report.metrics, table);
  row("skim rate", format_percent(report.skim_rate, 2));
  if (report.policy.confident) row("words never looked at", format_percent(report.unseen_share, 2));
  row("FLOP reduction, as in the paper", format_factor(report.costs.paper.reduction()));
  row("FLOP reduction, all FLOPs counted", format_factor(report.costs.counted.reduction()));
  row("FLOP reduction, executed", format_factor(report.costs.executed.reduction()));
  if (report.unaligned > 0)
    row("gold answers not found in their text", std::to_string(report.unaligned));
  for (const PassRate& pass : report.passes) {
    if (report.passes.size() > 1)
      row("skimmed by " + pass.reader, format_percent(pass.skim_rate(), 2));
  }
  if (report.confidence) add_confidence(*report.confidence, table);
  if (report.timing) add_speed(*report.timing, table);
  return table;
}

Table label_table(const Report& report) {
  Table table{{"label", "examples", "recall", "precision"}, {}};
  for (std::size_t i = 0; i < report.labels.size(); ++i) {
    table.rows.push_back({report.labels[i], std::to_string(report.confusion.support(i)),
                          format_percent(report.confusion.recall(i), 1),
                          format_percent(report.confusion.precision(i), 1)});
  }
  return table;
}

Table multilabel_table(const Report& report) {
  Table table{{"label", "examples", "recall", "precision", "F1", "threshold"}, {}};
  for (std::size_t i = 0; i < report.labels.size(); ++i) {
    const LabelCounts& counts = report.metrics.multilabel->labels[i];
    table.rows.push_back({report.labels[i], std::to_string(counts.examples),
                          format_percent(counts.recall(), 1), format_percent(counts.precision(), 1),
                          format_percent(counts.f1(), 1),
                          format_number(static_cast<double>(report.label_thresholds[i]), 3)});
  }
  return table;
}

std::string report_text(const Report& report) {
  std::string text = printable(report.model + " on " + report.data) + "\n\n";
  text += table_text(summary_table(report));
  if (!report.labels.empty())
    text += "\n" +
            table_text(report.metrics.multilabel ? multilabel_table(report) : label_table(report));
  if (report.confidence) text += "\n" + table_text(coverage_table(*report.confidence));
  if (!report.early_answers.empty()) text += "\n" + table_text(early_answer_table(report));
  if (report.timing) {
    text += "\nTimed on one thread, " + std::to_string(report.timing->texts) + " texts, best of " +
            std::to_string(report.timing->rounds) +
            " rounds, dense and skim interleaved: " + to_string(report.machine) + ".\n";
  }
  return text;
}

Result<Report> make_report(const EvalOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto model, load_model(chosen.model));
  SKIM_ASSIGN_OR_RETURN(const auto policy, policy_for(model, chosen.policy));
  if (chosen.abstain) SKIM_RETURN_IF_ERROR(check_has_confidence(model, "--abstain"));
  if (!chosen.html.empty()) SKIM_RETURN_IF_ERROR(check_has_confidence(model, "--html"));
  SKIM_ASSIGN_OR_RETURN(const auto set, load_test_set(chosen.data, model));
  EvaluateOptions options;
  options.policy = policy;
  options.threads = chosen.data.threads;
  options.abstain = chosen.abstain;
  options.early_answers = !policy.confident;
  options.timing = chosen.timing.options();
  if (chosen.no_speed) options.timing.reset();
  ProgressBar bar("eval", chosen.data.progress());
  return evaluate(model, set, options, bar.callback());
}

}  // namespace

int eval_verb(Arguments arguments) {
  EvalOptions chosen;
  Options options("eval", "Accuracy, skim rate, work saved and speed of a model on a data set.",
                  "FILE [options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  for (const auto& fault :
       {validate(chosen.policy), validate(chosen.data), validate(chosen.timing),
        validate_abstain(chosen.abstain),
        validate_outputs({{"--html", chosen.html}},
                         {{"FILE", chosen.data.file}, model_file(chosen.model)})}) {
    if (!fault.empty()) return usage_error("eval", fault);
  }
  const auto report = make_report(chosen);
  if (!report) return failed("eval", report.error());
  if (!chosen.html.empty()) {
    const auto written = write_atomically(chosen.html, std::string_view(reliability_page(*report)));
    if (!written) return failed("eval", written.error());
  }
  return print(chosen.json ? to_text(to_json(*report)) + "\n" : report_text(*report));
}

}  // namespace skim::cli
