#include "experiment/run.h"

#include <chrono>
#include <ctime>

#include "base/file.h"
#include "base/process.h"
#include "eval/evaluate.h"
#include "eval/machine.h"
#include "eval/sweep.h"
#include "eval/test_set.h"
#include "skim/model.h"
#include "tasks/load.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

namespace fs = std::filesystem;

// Long enough that 25,000 reviews give a steady ratio, short enough for sixty rows.
constexpr double kTimingSeconds = 4;

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

// The commit the current folder is at; empty outside of a repository.
std::string commit() {
  const auto ended = run_program({{"git", "rev-parse", "--short=12", "HEAD"}, ""});
  if (!ended || ended->status != 0) return {};
  return ended->output.substr(0, ended->output.find('\n'));
}

fs::path with_suffix(fs::path path, const char* suffix) { return path += suffix; }

std::vector<std::string> training_command(const Workshop& workshop, const Experiments& all,
                                          const Row& row, const Recipe& recipe) {
  const DataSet& set = all.set_of(row);
  const fs::path out = model_path(workshop, row, recipe);
  std::vector<std::string> command = {workshop.trainer};
  for (const std::string& file : set.train)
    command.insert(command.end(), {"--train", (workshop.data / file).string()});
  if (!set.dev.empty())
    command.insert(command.end(), {"--dev", (workshop.data / set.dev).string()});
  if (!set.vectors.empty())
    command.insert(command.end(), {"--embeddings", (workshop.data / set.vectors).string()});
  const auto options = option_arguments(row.options);
  command.insert(command.end(), options.begin(), options.end());
  for (const Recipe& teacher : recipe.teachers)
    command.insert(command.end(),
                   {"--teacher", model_path(workshop, *all.teacher_of(row), teacher).string()});
  for (const Recipe& start : recipe.start)
    command.insert(command.end(),
                   {"--start-from", model_path(workshop, *all.start_of(row), start).string()});
  command.insert(command.end(), {"--seed", std::to_string(recipe.seed), "--out", out.string(),
                                 "--log", with_suffix(out, ".log").string(), "--threads",
                                 std::to_string(workshop.threads), "--json"});
  if (workshop.quiet) command.push_back("--quiet");
  std::error_code ignored;
  if (fs::exists(with_suffix(out, ".checkpoint"), ignored)) command.push_back("--resume");
  return command;
}

struct Subject {
  Model model;
  TestSet test;
};

Result<Subject> subject_of(const Workshop& workshop, const Row& row, const DataSet& set,
                           const Recipe& recipe) {
  auto model = Model::load(model_path(workshop, row, recipe));
  if (!model) return tl::make_unexpected(model.error());
  auto data = load_examples(workshop.data / set.test);
  if (!data) return tl::make_unexpected(data.error());
  auto test = make_test_set(std::move(*data), model->spec());
  if (!test) return tl::make_unexpected(test.error());
  return Subject{std::move(*model), std::move(*test)};
}

Result<Report> look(const Subject& subject, Policy policy, const Progress& progress) {
  EvaluateOptions options;
  options.policy = policy;
  options.threads = 1;
  options.timing.reset();
  return evaluate(subject.model, subject.test, options, progress);
}

// Whatever is measured, tables and figures find the chief measure as "accuracy".
Json score_json(const Metrics& marks) {
  Json json = {{"accuracy", round_significant(marks.primary())}};
  if (marks.f1) json.update(metrics_json(marks));
  return json;
}

Json figures(const Report& report) {
  Json json = score_json(report.metrics);
  json.update({{"skim_rate", round_significant(report.skim_rate)},
               {"work", round_significant(1 / report.costs.counted.reduction())},
               {"flop_reduction", flop_reduction_json(report.costs)}});
  if (report.passes.size() > 1) json["passes"] = passes_json(report.passes);
  return json;
}

Result<Json> at_budgets(const Subject& subject, const std::vector<double>& budgets,
                        const Progress& progress) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    const auto threshold = subject.model.threshold_for(budgets[i]);
    if (!threshold) return tl::make_unexpected(threshold.error());
    Policy policy;
    policy.threshold = *threshold;
    const auto report = look(subject, policy, sub_progress(progress, i, budgets.size()));
    if (!report) return tl::make_unexpected(report.error());
    Json row = {{"budget", budgets[i]},
                {"threshold", round_significant(static_cast<double>(*threshold))}};
    row.update(figures(*report));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Json> at_thresholds(const Subject& subject, const Progress& progress) {
  SweepOptions options;
  options.thresholds = default_thresholds();
  options.threads = 1;
  const auto swept = sweep(subject.model, subject.test, options, progress);
  if (!swept) return tl::make_unexpected(swept.error());
  Json rows = Json::array();
  for (const SweepRow& row : *swept) {
    rows.push_back({{"threshold", round_significant(static_cast<double>(row.threshold))},
                    {"skim_rate", round_significant(row.skim_rate)},
                    {"work", round_significant(row.work)},
                    {"flop_reduction", flop_reduction_json(row.costs)}});
    rows.back().update(score_json(row.metrics));
  }
  return rows;
}

// What the trainer said when it was done.
Result<Json> training_summary(const fs::path& model) {
  const fs::path path = with_suffix(model, ".json");
  const auto text = read_text(path);
  if (!text) return tl::make_unexpected(text.error());
  auto summary = parse_json(*text, path.string());
  if (!summary) return summary;
  for (const char* key : {"steps", "best_step", "seconds", "dev_accuracy", "dev_skim_rate"}) {
    if (const auto number = number_at(*summary, key, path.string()); !number)
      return tl::make_unexpected(number.error());
  }
  return summary;
}

// Every look at dev while it learned, or nothing where the log is gone.
Json curve_of(const fs::path& model) {
  Json looks = Json::array();
  const auto text = read_text(with_suffix(model, ".log"));
  if (!text) return looks;
  TextLines lines(*text);
  while (const auto line = lines.next()) {
    const auto look = parse_json(line->text, "");
    if (!look || !look->is_object()) continue;
    looks.push_back({{"step", look->value("step", 0)},
                     {"accuracy", round_significant(look->value("dev_accuracy", 0.0))},
                     {"skim_rate", round_significant(look->value("dev_skim_rate", 0.0))}});
  }
  return looks;
}

// Two rows may ask for one and the same training; the second takes what the first one made.
bool take_over(const Workshop& workshop, const fs::path& model, const Recipe& recipe) {
  const std::string ending = "-" + std::to_string(recipe.seed) + "-" + recipe.digest() + ".skim";
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(workshop.work, failed)) {
    const fs::path& other = entry.path();
    const fs::path summary = with_suffix(other, ".json");
    if (!other.filename().string().ends_with(ending) || !fs::exists(summary, failed)) continue;
    fs::create_hard_link(other, model, failed);
    if (!failed) fs::create_hard_link(summary, with_suffix(model, ".json"), failed);
    std::error_code ignored;  // a log that is gone is missed by figures alone
    fs::create_hard_link(with_suffix(other, ".log"), with_suffix(model, ".log"), ignored);
    return !failed;
  }
  return false;
}

}  // namespace

fs::path model_path(const Workshop& workshop, const Row& row, const Recipe& recipe) {
  return workshop.work /
         (row.name + "-" + std::to_string(recipe.seed) + "-" + recipe.digest() + ".skim");
}

Result<bool> train_run(const Workshop& workshop, const Experiments& all, const Row& row,
                       const Recipe& recipe) {
  const fs::path model = model_path(workshop, row, recipe);
  const fs::path summary = with_suffix(model, ".json");
  std::error_code ignored;
  if (fs::exists(model, ignored) && fs::exists(summary, ignored)) return true;
  if (take_over(workshop, model, recipe)) return true;
  const auto ended = run_program({training_command(workshop, all, row, recipe), ""});
  if (!ended) return tl::make_unexpected(ended.error());
  if (ended->status != 0) {
    if (fs::exists(with_suffix(model, ".checkpoint"), ignored)) return false;
    return fail(Fault::io, row.name + ": training failed; what it said stands above");
  }
  if (const auto written = write_atomically(summary, ended->output); !written)
    return tl::make_unexpected(written.error());
  return true;
}

Result<Json> evaluate_run(const Workshop& workshop, const Row& row, const DataSet& set,
                          const Recipe& recipe, const Progress& progress) {
  const fs::path model = model_path(workshop, row, recipe);
  const auto training = training_summary(model);
  if (!training) return tl::make_unexpected(training.error());
  const auto subject = subject_of(workshop, row, set, recipe);
  if (!subject) return tl::make_unexpected(subject.error());
  const auto report = look(*subject, Policy{}, sub_progress(progress, 0, 3));
  if (!report) return tl::make_unexpected(report.error());
  Json run = {{"seed", recipe.seed},
              {"options", recipe.options},
              {"data", recipe.data},
              {"commit", commit()},
              {"version", report->version},
              {"machine", to_json(report->machine)},
              {"date", today()},
              {"training",
               {{"steps", training->value("steps", 0)},
                {"best_step", training->value("best_step", 0)},
                {"seconds", round_significant(training->value("seconds", 0.0))}}},
              {"dev",
               {{"accuracy", round_significant(training->value("dev_accuracy", 0.0))},
                {"skim_rate", round_significant(training->value("dev_skim_rate", 0.0))},
                {"looks", curve_of(model)}}},
              {"test", figures(*report)}};
  run["test"]["examples"] = report->examples;
  run["test"]["words"] = report->words;
  if (report->words > 0)
    run["test"]["operations_a_word"] =
        round_significant(report->costs.counted.flops / static_cast<double>(report->words));
  if (!row.budgets.empty()) {
    auto budgets = at_budgets(*subject, row.budgets, sub_progress(progress, 1, 3));
    if (!budgets) return budgets;
    run["budgets"] = std::move(*budgets);
  }
  if (row.sweep) {
    auto thresholds = at_thresholds(*subject, sub_progress(progress, 2, 3));
    if (!thresholds) return thresholds;
    run["thresholds"] = std::move(*thresholds);
  }
  return run;
}

Result<Json> time_run(const Workshop& workshop, const Row& row, const DataSet& set,
                      const Recipe& recipe, const Progress& progress) {
  const auto subject = subject_of(workshop, row, set, recipe);
  if (!subject) return tl::make_unexpected(subject.error());
  TimingOptions options;
  options.seconds = kTimingSeconds;
  const auto timing =
      time_against_dense(subject->model, subject->test.queries, Policy{}, options, progress);
  if (!timing) return tl::make_unexpected(timing.error());
  return Json{{"speedup", round_significant(timing->speedup)},
              {"reading_speedup", round_significant(timing->reading_speedup)},
              {"microseconds",
               {{"per_word", round_significant(timing->per_word)},
                {"dense_per_word", round_significant(timing->dense_per_word)},
                {"tokenization_per_word", round_significant(timing->tokenization_per_word)},
                {"per_text_p50", round_significant(timing->per_text_p50)},
                {"per_text_p99", round_significant(timing->per_text_p99)}}},
              {"texts", timing->texts},
              {"commit", commit()},
              {"machine", to_json(this_machine())},
              {"date", today()}};
}

}  // namespace skim
