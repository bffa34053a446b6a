#include <cmath>
#include <filesystem>
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
#include "file/model_file.h"
#include "spec/spec_json.h"

namespace skim::cli {
namespace {

struct TuneOptions {
  ModelChoice model;
  DataChoice data;
  std::string out;
  int points = 33;
  bool json = false;
};

void declare(Options& options, TuneOptions& chosen) {
  declare(options, chosen.data);
  declare(options, chosen.model);
  options.add(
      "--out", chosen.out, "FILE",
      "where to write the calibrated model (default: in place; required for built-in models)");
  options.add("--points", chosen.points, "N", "number of thresholds to measure (default 33)");
  options.add_flag("--json", chosen.json, "the calibration as JSON");
  options.add_example("skim tune dev.tsv --model imdb.skim");
}

std::vector<Query> take_queries(Dataset data) {
  std::vector<Query> queries;
  queries.reserve(data.examples.size());
  for (Example& example : data.examples) queries.push_back(std::move(example.query));
  return queries;
}

// Rewrites the model file with the calibration. The write is atomic, so tuning in place is safe.
Result<void> store_calibration(const std::filesystem::path& from, const Calibration& calibration,
                               const std::filesystem::path& to) {
  SKIM_ASSIGN_OR_RETURN(const auto file, open_model_file(from));
  ModelDraft draft = to_draft(file);
  draft.calibration = calibration;
  return write_model_file(draft, to);
}

std::string thresholds_text(const Model& model, const Calibration& calibration) {
  Table table{{"label", "threshold"}, {}};
  for (std::size_t i = 0; i < calibration.label_thresholds.size(); ++i) {
    table.rows.push_back({model.spec().labels[i],
                          format_number(static_cast<double>(calibration.label_thresholds[i]), 4)});
  }
  return table.rows.empty() ? "" : table_text(table) + "\n";
}

std::string calibration_text(const Calibration& calibration, const std::string& stored) {
  if (calibration.points.empty()) return "Stored in " + printable(stored) + ".\n";
  Table table{{"threshold", "work"}, {}};
  for (const auto& [threshold, work] : calibration.points) {
    table.rows.push_back({format_number(threshold, 4), format_percent(work, 1)});
  }
  return table_text(table) + "\nStored in " + printable(stored) + ". Budgets from " +
         format_number(std::ceil(calibration.points.back().work * 100) / 100, 2) + " to " +
         format_number(calibration.points.front().work, 2) + " can be used.\n";
}

// Measures the work at thresholds, unless the model makes no decisions and has labels to tune.
Result<Calibration> measure_work(const Model& model, std::span<const Query> queries,
                                 const std::string& name, const TuneOptions& chosen) {
  const bool dense = model.spec().reader.kind == ReaderKind::dense;
  if (dense && model.spec().output == OutputActivation::sigmoid)
    return Calibration{std::filesystem::path(chosen.data.file).filename().string(), {}};
  ProgressBar bar("tune", chosen.data.progress());
  return calibrate(model, queries, name, {chosen.data.threads, chosen.points}, bar.callback());
}

Result<Calibration> measure_calibration(const Model& model, const TuneOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(auto data, load_data(chosen.data, model.spec()));
  const std::string name = data.name + ", " + std::to_string(data.examples.size()) + " texts";
  if (model.spec().output != OutputActivation::sigmoid)
    return measure_work(model, take_queries(std::move(data)), name, chosen);
  SKIM_ASSIGN_OR_RETURN(const TestSet set, make_test_set(std::move(data), model.spec()));
  SKIM_ASSIGN_OR_RETURN(Calibration calibration, measure_work(model, set.queries, name, chosen));
  SKIM_ASSIGN_OR_RETURN(calibration.label_thresholds, tune_labels(model, set, chosen.data.threads));
  return calibration;
}

Result<std::string> tune(const TuneOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto path, model_path(chosen.model));
  if (chosen.out.empty() && path.string() != chosen.model.file) {
    return fail(Fault::argument,
                "cannot change a built-in model; write the calibrated one to another file with "
                "--out FILE, or choose a file with --model");
  }
  SKIM_ASSIGN_OR_RETURN(const auto model, load_model(chosen.model));
  SKIM_ASSIGN_OR_RETURN(const auto calibration, measure_calibration(model, chosen));
  const std::string out = chosen.out.empty() ? path.string() : chosen.out;
  SKIM_RETURN_IF_ERROR(store_calibration(path, calibration, out));
  if (!chosen.json) return thresholds_text(model, calibration) + calibration_text(calibration, out);
  return to_text(Json{{"model", out}, {"calibration", to_json(calibration)}}) + "\n";
}

}  // namespace

int tune_verb(Arguments arguments) {
  TuneOptions chosen;
  Options options(
      "tune",
      "Calibrates a model: measures which threshold leads to which share of the dense "
      "reader's work and stores the result for --budget; of a multi-label model also the "
      "thresholds of its labels.",
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
