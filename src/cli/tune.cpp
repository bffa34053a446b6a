#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result_macros.h"
#include "cli/evaluation.h"
#include "cli/output.h"
#include "cli/output_files.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/calibrate.h"
#include "eval/predictions.h"
#include "eval/report.h"
#include "eval/temperature.h"
#include "file/model_file.h"
#include "file/probes.h"
#include "spec/spec_json.h"

namespace skim::cli {
namespace {

struct TuneOptions {
  ModelChoice model;
  DataChoice data;
  std::string out;
  int points = 33;
  bool no_temperature = false;
  bool json = false;
};

void declare(Options& options, TuneOptions& chosen) {
  declare(options, chosen.data);
  declare(options, chosen.model);
  options.add(
      "--out", chosen.out, "FILE",
      "where to write the calibrated model (default: in place; required for built-in models)");
  options.add("--points", chosen.points, "N", "number of thresholds to measure (default 33)");
  options.add_flag("--no-temperature", chosen.no_temperature,
                   "keep the temperature of the model; the labels may be any");
  options.add_flag("--json", chosen.json, "the calibration as JSON");
  options.add_example("skim tune dev.tsv --model imdb.skim");
}

// Rewrites the model file with the calibration. The write is atomic, so tuning in place is safe.
Result<void> store_calibration(const std::filesystem::path& from, const Calibration& calibration,
                               const std::filesystem::path& to) {
  SKIM_ASSIGN_OR_RETURN(const auto file, open_model_file(from));
  ModelDraft draft = to_draft(file);
  set_temperature(draft, calibration.temperature);
  draft.calibration = calibration;
  return write_model_file(draft, to);
}

// What was measured, to be stored and to be printed.
struct Measured {
  Calibration calibration;
  std::optional<TemperatureFit> temperature;  // unset unless it was fitted
};

std::string thresholds_text(const Model& model, const Calibration& calibration) {
  Table table{{"label", "threshold"}, {}};
  for (std::size_t i = 0; i < calibration.label_thresholds.size(); ++i) {
    table.rows.push_back({model.spec().labels[i],
                          format_number(static_cast<double>(calibration.label_thresholds[i]), 4)});
  }
  return table.rows.empty() ? "" : table_text(table) + "\n";
}

std::string points_text(const std::vector<Calibration::Point>& points) {
  Table table{{"threshold", "work"}, {}};
  for (const auto& [threshold, work] : points) {
    table.rows.push_back({format_number(threshold, 4), format_percent(work, 1)});
  }
  return table_text(table) + "\nBudgets from " +
         format_number(std::ceil(points.back().work * 100) / 100, 2) + " to " +
         format_number(points.front().work, 2) + " can be used.\n";
}

std::string measured_text(const Model& model, const Measured& measured, const std::string& stored) {
  std::string text = thresholds_text(model, measured.calibration);
  if (!measured.calibration.points.empty()) text += points_text(measured.calibration.points);
  if (measured.temperature) {
    const TemperatureFit& fit = *measured.temperature;
    text += "Temperature " + format_number(fit.temperature, 4) + ": negative log likelihood " +
            format_number(fit.nll, 4) + ", without it " + format_number(fit.nll_before, 4) + ".\n";
  }
  return text + "Stored in " + printable(stored) + ".\n";
}

Json measured_json(const Measured& measured, const std::string& stored) {
  Json json = {{"model", stored},
               {"calibration", to_json(measured.calibration)},
               {"temperature", measured.calibration.temperature}};
  if (measured.temperature) {
    json["nll"] = round_significant(measured.temperature->nll);
    json["nll_before"] = round_significant(measured.temperature->nll_before);
  }
  return json;
}

// The texts of the data set, with the model's labels only where they are needed.
Result<TestSet> load_texts(const TuneOptions& chosen, const Model& model, bool needs_labels) {
  SKIM_ASSIGN_OR_RETURN(auto data, load_data(chosen.data, model.spec()));
  if (needs_labels) {
    auto set = make_test_set(std::move(data), model.spec());
    if (set || set.error().fault != Fault::mismatch) return set;
    return fail(Fault::mismatch,
                set.error().message + "; the labels do not matter with --no-temperature");
  }
  TestSet set;
  set.name = std::move(data.name);
  for (Example& example : data.examples) set.queries.push_back(std::move(example.query));
  return set;
}

Result<Measured> measure(const Model& model, const TuneOptions& chosen) {
  const bool fits = model.spec().is_softmax_classifier() && !chosen.no_temperature;
  const bool multilabel = model.spec().output == OutputActivation::sigmoid;
  // Else the error of calibrate() says why not.
  const bool calibrates = has_thresholds(model.spec()) || !(fits || multilabel);
  SKIM_ASSIGN_OR_RETURN(const auto set, load_texts(chosen, model, fits || multilabel));
  const std::string name = set.name + ", " + std::to_string(set.queries.size()) + " texts";
  ProgressBar bar("tune", chosen.data.progress());
  const Progress progress = bar.callback();
  Measured measured;
  measured.calibration.data = describe_data(name);
  if (calibrates) {
    SKIM_ASSIGN_OR_RETURN(measured.calibration,
                          calibrate(model, set.queries, name, {chosen.data.threads, chosen.points},
                                    sub_progress(progress, 0, fits ? 2 : 1)));
  }
  if (multilabel) {
    SKIM_ASSIGN_OR_RETURN(measured.calibration.label_thresholds,
                          tune_labels(model, set, chosen.data.threads));
  }
  measured.calibration.temperature = model.calibration().temperature;
  if (!fits) return measured;
  SKIM_ASSIGN_OR_RETURN(measured.temperature,
                        fit_temperature(model, set.queries, set.truth, chosen.data.threads));
  measured.calibration.temperature = measured.temperature->temperature;
  return measured;
}

Result<std::string> tune(const TuneOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto path, model_path(chosen.model));
  if (chosen.out.empty() && path.string() != chosen.model.file) {
    return fail(Fault::argument,
                "cannot change a built-in model; write the calibrated one to another file with "
                "--out FILE, or choose a file with --model");
  }
  SKIM_ASSIGN_OR_RETURN(const auto model, load_model(chosen.model));
  SKIM_ASSIGN_OR_RETURN(const auto measured, measure(model, chosen));
  const std::string out = chosen.out.empty() ? path.string() : chosen.out;
  SKIM_RETURN_IF_ERROR(store_calibration(path, measured.calibration, out));
  return chosen.json ? to_text(measured_json(measured, out)) + "\n"
                     : measured_text(model, measured, out);
}

}  // namespace

int tune_verb(Arguments arguments) {
  TuneOptions chosen;
  Options options("tune",
                  "Calibrates a model: measures which threshold leads to which share of the dense "
                  "reader's work, for --budget, and fits the temperature of the scores, or the "
                  "thresholds of the labels of a multi-label model; stores both.",
                  "FILE [options]");
  declare(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto fault = validate(chosen.data); !fault.empty()) return usage_error("tune", fault);
  if (chosen.points < 3 || chosen.points > 1000) {
    return usage_error("tune", "--points must be from 3 to 1000");
  }
  // The model may be replaced, which is the default.
  if (const auto fault = validate_outputs({{"--out", chosen.out}}, {{"FILE", chosen.data.file}});
      !fault.empty())
    return usage_error("tune", fault);
  const auto done = tune(chosen);
  return done ? print(*done) : failed("tune", done.error());
}

}  // namespace skim::cli
