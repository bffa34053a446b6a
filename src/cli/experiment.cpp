// skim experiment list|run|time|report: the tables and figures, row by row, from experiments/.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/experiment_report.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/suggest.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "experiment/config.h"
#include "experiment/quiet.h"
#include "experiment/run.h"
#include "experiment/store.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

// Others may keep this many processors busy while something is timed.
constexpr double kQuiet = 0.1;

struct Choice {
  std::string action;
  std::vector<std::string> names;
  std::string experiments = "experiments", data, work = "build/experiments";
  std::string markdown, html, figures;
  ModelChoice model;
  int threads = 1;
  bool all = false, again = false, busy = false, json = false, quiet = false;

  fs::path results() const { return fs::path(experiments) / "results"; }
};

void declare(Options& options, Choice& chosen) {
  options.add_argument(
      "ACTION", chosen.action,
      "list: the rows and how far they are; run: train and test what is missing; time: "
      "measure speed, on a quiet machine; report: ours beside the paper's");
  options.add_arguments("ROW...", chosen.names, "rows by name; the end may be a *");
  options.add_flag("--all", chosen.all, "every row");
  options.add("--data", chosen.data, "DIR", "where the data sets are (run, time)");
  options.add("--work", chosen.work, "DIR",
              "models, checkpoints and logs (default build/experiments)");
  options.add("--experiments", chosen.experiments, "DIR",
              "the rows; reports go to its folder results (default experiments)");
  options.add("--threads", chosen.threads, "N", "of a training (default 1)");
  options.add_flag("--again", chosen.again, "time: also what has been timed before");
  options.add_flag("--busy", chosen.busy, "time: even while other programs use the machine");
  options.add("--markdown", chosen.markdown, "FILE", "report: write it as Markdown");
  options.add("--html", chosen.html, "FILE", "report: write it as one page with its figures");
  options.add("--figures", chosen.figures, "DIR",
              "report: write the figures as SVG, drawn by gnuplot");
  options.add("--model", chosen.model.file, "FILE",
              "report: who reads the reviews (default: the built-in model)");
  options.add_flag("--json", chosen.json, "list, report: as JSON");
  options.add_flag("--quiet", chosen.quiet, "no progress");
  options.add_example("skim experiment list");
  options.add_example("skim experiment run --all --data data");
  options.add_example("skim experiment run 'sst-*' --data data");
  options.add_example("skim experiment report --html results.html");
}

bool matches(const std::string& pattern, const std::string& name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

Result<std::vector<Row>> chosen_rows(const Choice& chosen, const Experiments& all) {
  if (chosen.all || chosen.names.empty()) return all.rows;
  std::vector<Row> rows;
  for (const std::string& pattern : chosen.names) {
    const std::size_t before = rows.size();
    for (const Row& row : all.rows) {
      const bool taken = std::any_of(rows.begin(), rows.end(),
                                     [&](const Row& one) { return one.name == row.name; });
      if (matches(pattern, row.name) && !taken) rows.push_back(row);
    }
    if (rows.size() > before) continue;
    std::vector<std::string_view> names;
    for (const Row& row : all.rows) names.push_back(row.name);
    std::string message = "there is no row '" + printable(pattern) + "'; ";
    if (const auto meant = closest(pattern, names))
      message += "did you mean '" + std::string(*meant) + "'? ";
    return fail(Fault::argument, message + "`skim experiment list` names them");
  }
  return rows;
}

void note(const Choice& chosen, const std::string& text) {
  if (!chosen.quiet) std::fprintf(stderr, "%s\n", printable(text).c_str());
}

// A row and one of its seeds.
struct Part {
  const Row* row = nullptr;
  Recipe recipe;

  std::string name() const { return row->name + " seed " + std::to_string(recipe.seed); }
};

Result<std::vector<Part>> parts_of(const Choice& chosen, const Experiments& all,
                                   const std::vector<Row>& rows) {
  std::vector<Part> parts;
  Json checksums = Json::object();
  for (const Row& row : rows) {
    for (const std::uint64_t seed : row.seeds) {
      auto recipe = recipe_of(all, row, seed, chosen.data, checksums);
      if (!recipe) return tl::make_unexpected(recipe.error());
      parts.push_back({&row, std::move(*recipe)});
    }
  }
  return parts;
}

Workshop workshop_of(const Choice& chosen) {
  return {chosen.data, chosen.work, find_program("skim-train"), chosen.threads, chosen.quiet};
}

enum class Progressed { already, done, elsewhere, stopped };

// Trains the models that this part builds on and that are not there yet, or waits for who does.
Result<bool> train_needed(const Choice& chosen, const Experiments& all, const Part& part) {
  const Workshop workshop = workshop_of(chosen);
  std::vector<Part> needed;
  for (const Recipe& one : part.recipe.teachers) needed.push_back({all.teacher_of(*part.row), one});
  for (const Recipe& one : part.recipe.start) needed.push_back({all.start_of(*part.row), one});
  for (const Part& other : needed) {
    const auto ready = train_needed(chosen, all, other);
    if (!ready || !*ready) return ready;
    const fs::path model = model_path(workshop, *other.row, other.recipe);
    const auto lock = FileLock::take(fs::path(model).concat(".lock"), Wait::yes);
    if (!lock) return tl::make_unexpected(lock.error());
    std::error_code ignored;
    if (!fs::exists(model, ignored))
      note(chosen, other.name() + ": training, needed by " + part.row->name);
    const auto trained = train_run(workshop, all, *other.row, other.recipe);
    if (!trained || !*trained) return trained;
  }
  return true;
}

// Trains and tests one part, unless its report has it or another program is at it.
Result<Progressed> run_part(const Choice& chosen, const Experiments& all, const Part& part) {
  const Workshop workshop = workshop_of(chosen);
  const DataSet& set = all.set_of(*part.row);
  const auto report = load_report(chosen.results(), *part.row);
  if (!report) return tl::make_unexpected(report.error());
  if (find_run(*report, part.recipe) != nullptr) return Progressed::already;
  const fs::path model = model_path(workshop, *part.row, part.recipe);
  const auto lock = FileLock::take(fs::path(model).concat(".lock"), Wait::no);
  if (!lock) return tl::make_unexpected(lock.error());
  if (!*lock) return Progressed::elsewhere;
  const auto ready = train_needed(chosen, all, part);
  if (!ready) return tl::make_unexpected(ready.error());
  if (!*ready) return Progressed::stopped;
  note(chosen, part.name() + ": training");
  const auto trained = train_run(workshop, all, *part.row, part.recipe);
  if (!trained) return tl::make_unexpected(trained.error());
  if (!*trained) return Progressed::stopped;
  ProgressBar bar("test", chosen.quiet ? ProgressBar::Mode::hidden : ProgressBar::Mode::shown);
  const auto run = evaluate_run(workshop, *part.row, set, part.recipe, bar.callback());
  if (!run) return tl::make_unexpected(run.error());
  const auto stored =
      store_run(chosen.results(), *part.row, *run, fs::path(chosen.work) / "results.lock");
  if (!stored) return tl::make_unexpected(stored.error());
  note(chosen, part.name() + ": " + format_percent((*run)["test"]["accuracy"].get<double>(), 2) +
                   " of test, " + format_percent((*run)["test"]["skim_rate"].get<double>(), 1) +
                   " skimmed");
  return Progressed::done;
}

Result<int> run_all(const Choice& chosen, const Experiments& all, const std::vector<Row>& rows) {
  std::error_code fault;
  fs::create_directories(chosen.work, fault);
  if (fault) return fail(Fault::io, chosen.work + ": " + fault.message());
  const auto parts = parts_of(chosen, all, rows);
  if (!parts) return tl::make_unexpected(parts.error());
  int done = 0, already = 0, elsewhere = 0;
  for (const Part& part : *parts) {
    const auto progressed = run_part(chosen, all, part);
    if (!progressed) return tl::make_unexpected(progressed.error());
    if (*progressed == Progressed::stopped) {
      note(chosen, part.name() + ": put aside; the same command goes on from there");
      return kFailure;
    }
    done += *progressed == Progressed::done ? 1 : 0;
    already += *progressed == Progressed::already ? 1 : 0;
    elsewhere += *progressed == Progressed::elsewhere ? 1 : 0;
  }
  note(chosen, std::to_string(done) + " run, " + std::to_string(already) + " were done already, " +
                   std::to_string(elsewhere) + " are being run by another program");
  return kSuccess;
}

Result<void> must_be_quiet(const Choice& chosen) {
  if (chosen.busy) return {};
  const auto busy = busy_processors(1);
  if (!busy) return tl::make_unexpected(busy.error());
  if (*busy <= kQuiet) return {};
  return fail(
      Fault::argument,
      "other programs keep " + format_number(*busy, 1) +
          " processors busy, which would spoil the times; stop them, or insist with --busy");
}

// Times one part whose model is at hand; false when there is nothing to time.
Result<bool> time_part(const Choice& chosen, const Experiments& all, const Part& part) {
  const Workshop workshop = workshop_of(chosen);
  const auto report = load_report(chosen.results(), *part.row);
  if (!report) return tl::make_unexpected(report.error());
  const Json* run = find_run(*report, part.recipe);
  std::error_code ignored;
  if (run == nullptr || (run->contains("timing") && !chosen.again) ||
      !fs::exists(model_path(workshop, *part.row, part.recipe), ignored))
    return false;
  if (const auto quiet = must_be_quiet(chosen); !quiet) return tl::make_unexpected(quiet.error());
  ProgressBar bar(part.name(), chosen.quiet ? ProgressBar::Mode::hidden : ProgressBar::Mode::shown);
  auto timing = time_run(workshop, *part.row, all.set_of(*part.row), part.recipe, bar.callback());
  if (!timing) return tl::make_unexpected(timing.error());
  Json timed = *run;
  timed["timing"] = std::move(*timing);
  const auto stored =
      store_run(chosen.results(), *part.row, timed, fs::path(chosen.work) / "results.lock");
  if (!stored) return tl::make_unexpected(stored.error());
  note(chosen, part.name() + ": " + format_number(timed["timing"]["speedup"].get<double>(), 2) +
                   "x from text to answer");
  return true;
}

Result<int> time_all(const Choice& chosen, const Experiments& all, const std::vector<Row>& rows) {
  const auto parts = parts_of(chosen, all, rows);
  if (!parts) return tl::make_unexpected(parts.error());
  int timed = 0;
  for (const Part& part : *parts) {
    const auto done = time_part(chosen, all, part);
    if (!done) return tl::make_unexpected(done.error());
    timed += *done ? 1 : 0;
  }
  note(chosen, std::to_string(timed) + " runs timed, " +
                   std::to_string(static_cast<int>(parts->size()) - timed) +
                   " had been or have no model in " + chosen.work);
  return kSuccess;
}

Result<int> list_all(const Choice& chosen, const std::vector<Row>& rows) {
  Table table{{"row", "set", "seeds", "run", "timed"}, {}};
  Json list = Json::array();
  for (const Row& row : rows) {
    const auto report = load_report(chosen.results(), row);
    if (!report) return tl::make_unexpected(report.error());
    int run = 0, timed = 0;
    for (const std::uint64_t seed : row.seeds) {
      const Json* found = find_run(*report, row, seed);
      run += found != nullptr ? 1 : 0;
      timed += found != nullptr && found->contains("timing") ? 1 : 0;
    }
    table.rows.push_back({row.name, row.set, std::to_string(row.seeds.size()), std::to_string(run),
                          std::to_string(timed)});
    list.push_back({{"row", row.name},
                    {"title", row.title},
                    {"set", row.set},
                    {"group", row.group},
                    {"seeds", row.seeds},
                    {"options", row.options},
                    {"run", run},
                    {"timed", timed}});
  }
  return print(chosen.json ? to_text(list) + "\n" : table_text(table));
}

// The reports of the rows as they are stored.
Result<int> print_reports(const Choice& chosen, const std::vector<Row>& rows) {
  Json reports = Json::array();
  for (const Row& row : rows) {
    auto report = load_report(chosen.results(), row);
    if (!report) return tl::make_unexpected(report.error());
    reports.push_back(std::move(*report));
  }
  return print(to_text(reports) + "\n");
}

Result<int> report_all(const Choice& chosen, const Experiments& all, const std::vector<Row>& rows) {
  if (chosen.json) return print_reports(chosen, rows);
  ReportRequest request{chosen.experiments, {}, chosen.markdown, chosen.html, chosen.figures};
  std::error_code ignored;
  if (fs::exists(fs::path(chosen.experiments) / "reviews", ignored)) {
    auto model = load_model(chosen.model);
    if (model)
      request.model = std::move(*model);
    else if (!chosen.model.file.empty())
      return tl::make_unexpected(model.error());
    else
      note(chosen, "the reviews are left out: " + model.error().message);
  }
  auto text = experiment_report(all, rows, request);
  if (!text) return tl::make_unexpected(text.error());
  const bool written = !chosen.markdown.empty() || !chosen.html.empty();
  return written ? kSuccess : print(*text);
}

Result<int> act(const Choice& chosen) {
  const auto all = load_experiments(chosen.experiments);
  if (!all) return tl::make_unexpected(all.error());
  const auto rows = chosen_rows(chosen, *all);
  if (!rows) return tl::make_unexpected(rows.error());
  if (chosen.action == "list") return list_all(chosen, *rows);
  if (chosen.action == "run") return run_all(chosen, *all, *rows);
  if (chosen.action == "time") return time_all(chosen, *all, *rows);
  return report_all(chosen, *all, *rows);
}

std::string validate(const Choice& chosen) {
  const std::vector<std::string> actions = {"list", "run", "time", "report"};
  if (std::find(actions.begin(), actions.end(), chosen.action) == actions.end())
    return "'" + printable(chosen.action) + "' is none of list, run, time, report";
  const bool works = chosen.action == "run" || chosen.action == "time";
  if (works && chosen.data.empty())
    return "--data is missing: the folder with the data sets (docs/results.md says which)";
  if (chosen.action == "run" && chosen.names.empty() && !chosen.all)
    return "which rows? name some, or give --all";
  return chosen.threads < 1 ? "--threads must be at least 1" : "";
}

}  // namespace

int experiment_verb(Arguments arguments) {
  Choice chosen;
  Options options("experiment", "The tables and figures of docs/results.md, row by row.",
                  "list|run|time|report [ROW...] [options]");
  declare(options, chosen);
  if (const auto code = options.parse(arguments)) return *code;
  if (const auto fault = validate(chosen); !fault.empty()) return usage_error("experiment", fault);
  const auto code = act(chosen);
  return code ? *code : failed("experiment", code.error());
}

}  // namespace skim::cli
