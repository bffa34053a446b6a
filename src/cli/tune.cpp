#include <cmath>
#include <utility>
#include <vector>

#include "cli/evaluation.h"
#include "cli/html.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/calibrate.h"
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

void declare_all(Options& options, TuneOptions& chosen) {
  declare(options, chosen.data);
  declare(options, chosen.model);
  options.add("--out", chosen.out, "FILE",
              "where to store the calibrated model (default: in place, unless it is built in)");
  options.add("--points", chosen.points, "N", "thresholds to measure (default 33)");
  options.add_flag("--json", chosen.json, "the calibration as JSON");
  options.add_example("skim tune dev.tsv --model imdb.skim");
}

std::vector<Query> queries_of(Dataset data) {
  std::vector<Query> queries;
  queries.reserve(data.examples.size());
  for (Example& example : data.examples) queries.push_back(std::move(example.query));
  return queries;
}

// The file once more, with the calibration in it. Written beside the old one and renamed, so
// tuning in place is safe.
Result<void> store(const std::filesystem::path& from, const Calibration& calibration,
                   const std::filesystem::path& to) {
  const auto file = open_model_file(from);
  if (!file) return tl::make_unexpected(file.error());
  ModelDraft draft = to_draft(*file);
  draft.calibration = calibration;
  return write_model_file(draft, to);
}

std::string calibration_text(const Calibration& calibration, const std::string& stored) {
  Table table{{"threshold", "work"}, {}};
  for (const auto& [threshold, work] : calibration.points) {
    table.rows.push_back({number_text(threshold, 4), percent_text(work, 1)});
  }
  return table_text(table) + "\nStored in " + printable(stored) + ". Budgets from " +
         number_text(std::ceil(calibration.points.back().work * 100) / 100, 2) + " to " +
         number_text(calibration.points.front().work, 2) + " can be kept.\n";
}

Result<std::string> tune(const TuneOptions& chosen) {
  const auto path = model_path(chosen.model);
  if (!path) return tl::make_unexpected(path.error());
  if (chosen.out.empty() && path->string() != chosen.model.file) {
    return fail(Fault::argument,
                "a built-in model stays as it is; say with --out where the calibrated one goes, or "
                "with --model which file to calibrate");
  }
  const auto model = load_model(chosen.model);
  if (!model) return tl::make_unexpected(model.error());
  auto data = load_data(chosen.data);
  if (!data) return tl::make_unexpected(data.error());
  const std::string name = data->name + ", " + std::to_string(data->examples.size()) + " texts";
  const auto queries = queries_of(std::move(*data));
  Result<Calibration> calibration;
  {
    ProgressBar bar("tune", chosen.data.progress());
    calibration =
        calibrate(*model, queries, name, {chosen.data.threads, chosen.points}, bar.listener());
  }
  if (!calibration) return tl::make_unexpected(calibration.error());
  const std::string out = chosen.out.empty() ? path->string() : chosen.out;
  if (auto stored = store(*path, *calibration, out); !stored) {
    return tl::make_unexpected(stored.error());
  }
  if (!chosen.json) return calibration_text(*calibration, out);
  return to_text(Json{{"model", out}, {"calibration", json_of(*calibration)}}) + "\n";
}

}  // namespace

int tune_verb(Arguments arguments) {
  TuneOptions chosen;
  Options options("tune",
                  "Calibrates a model: measures which threshold leads to which share of the plain "
                  "reader's work and stores it, so that --budget can be used.",
                  "FILE [options]");
  declare_all(options, chosen);
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (const auto fault = fault_of(chosen.data); !fault.empty()) return wrong_usage("tune", fault);
  if (chosen.points < 3 || chosen.points > 1000) {
    return wrong_usage("tune", "--points must be from 3 to 1000");
  }
  const auto done = tune(chosen);
  return done ? print(*done) : failed("tune", done.error());
}

}  // namespace skim::cli
