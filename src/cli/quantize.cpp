#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

#include "base/json.h"
#include "cli/html.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "eval/report.h"
#include "file/model_file.h"
#include "runtime/probing.h"
#include "spec/names.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

struct QuantizeOptions {
  ModelChoice model;
  std::string weights;
  int vocabulary = 0;  // words to keep; 0 keeps all
  std::string out;
  bool json = false;
  bool quiet = false;
};

// What changed for the stored questions.
struct Change {
  std::string weights;
  int vocabulary = 0;
  std::uintmax_t bytes_before = 0;
  std::uintmax_t bytes_after = 0;
  std::size_t probes = 0;
  std::size_t answers = 0;  // that are other ones now
  std::size_t steps = 0;
  std::size_t decisions = 0;  // of the steps, those that are other ones now
  double worst_score = 0;     // largest difference of a score
};

void compare(const Probe& before, const Probe& after, Change& change) {
  ++change.probes;
  change.answers += before.index != after.index ? 1U : 0U;
  for (std::size_t i = 0; i < std::min(before.scores.size(), after.scores.size()); ++i) {
    const float difference = std::abs(before.scores[i] - after.scores[i]);
    change.worst_score = std::max(change.worst_score, static_cast<double>(difference));
  }
  for (std::size_t i = 0; i < std::min(before.trace.size(), after.trace.size()); ++i) {
    const auto& old_steps = before.trace[i].steps;
    const auto& new_steps = after.trace[i].steps;
    change.steps += new_steps.size();
    for (std::size_t j = 0; j < std::min(old_steps.size(), new_steps.size()); ++j) {
      change.decisions += old_steps[j].width != new_steps[j].width ? 1U : 0U;
    }
  }
}

// Probes prove that this very file answers as it did when it was made, so they are asked again of
// the new weights.
Result<void> renew_probes(ModelDraft& draft, const std::string& name, Change& change) {
  const auto old_probes = std::exchange(draft.probes, {});
  auto model = loaded(draft, name);
  if (!model) return tl::make_unexpected(model.error());
  Session session(std::move(*model));
  for (const Probe& old : old_probes) {
    auto fresh = asked(session, old.query, old.policy);
    if (!fresh) return tl::make_unexpected(fresh.error());
    compare(old, *fresh, change);
    draft.probes.push_back(std::move(*fresh));
  }
  return {};
}

// Says in the file what is no longer exactly true of it.
void leave_note(ModelDraft& draft, const std::string& change) {
  draft.about += (draft.about.empty() ? "The " : "\nThe ") + change + ".";
  if (!draft.calibration.points.empty()) draft.calibration.data += " (before the " + change + ")";
}

void change_weights(ModelDraft& draft, WeightType to) {
  const WeightType from = std::exchange(draft.spec.weights, to);
  if (from == to) return;
  leave_note(draft, "weights changed from " + std::string(name_of(from)) + " to " +
                        std::string(name_of(to)));
}

// Training puts frequent words first, so the first ones are those to keep.
void keep_words(ModelDraft& draft, int most) {
  const int from = draft.spec.vocabulary;
  if (most >= from) return;
  draft.spec.vocabulary = most;
  draft.vocabulary.resize(static_cast<std::size_t>(most));
  for (ModelDraft::Tensor& tensor : draft.tensors) {
    if (tensor.name != "words") continue;
    tensor.values.resize(tensor.values.size() / static_cast<std::size_t>(from) *
                         static_cast<std::size_t>(most));
  }
  leave_note(draft, "vocabulary changed from " + std::to_string(from) + " to " +
                        std::to_string(most) + " words");
}

Result<Change> quantize(const QuantizeOptions& chosen) {
  const auto path = model_path(chosen.model);
  if (!path) return tl::make_unexpected(path.error());
  const auto file = open_model_file(*path);
  if (!file) return tl::make_unexpected(file.error());
  ModelDraft draft = to_draft(*file);
  if (!chosen.weights.empty()) {
    const auto type = value_named<WeightType>(chosen.weights, "--weights");
    if (!type) return tl::make_unexpected(type.error());
    change_weights(draft, *type);
  }
  if (chosen.vocabulary > 0) keep_words(draft, chosen.vocabulary);
  const bool changed = draft.about != file->about;
  Change change;
  change.weights = name_of(draft.spec.weights);
  change.vocabulary = draft.spec.vocabulary;
  if (auto renewed = renew_probes(draft, chosen.out, change); !renewed) {
    return tl::make_unexpected(renewed.error());
  }
  std::error_code ignored;
  change.bytes_before = fs::file_size(*path, ignored);
  if (auto written = write_model_file(draft, chosen.out); !written) {
    return tl::make_unexpected(written.error());
  }
  change.bytes_after = fs::file_size(chosen.out, ignored);
  if (!chosen.quiet && !draft.calibration.points.empty() && changed) {
    complain("quantize",
             "the calibration was measured with the old model; run skim tune to renew it");
  }
  return change;
}

std::string change_text(const Change& change, const QuantizeOptions& chosen) {
  std::string text = printable(chosen.out) + ": " + std::to_string(change.bytes_after) +
                     " bytes, before " + std::to_string(change.bytes_before) + "\n";
  if (change.probes == 0) return text;
  return text + std::to_string(change.answers) + " of " + std::to_string(change.probes) +
         " stored answers and " + std::to_string(change.decisions) + " of " +
         std::to_string(change.steps) + " decisions changed; largest score difference " +
         number_text(change.worst_score, 5) + "\n";
}

Json change_json(const Change& change, const QuantizeOptions& chosen) {
  return {{"model", chosen.out},
          {"weights", change.weights},
          {"vocabulary", change.vocabulary},
          {"file_bytes", change.bytes_after},
          {"file_bytes_before", change.bytes_before},
          {"probes", change.probes},
          {"answers_changed", change.answers},
          {"steps", change.steps},
          {"decisions_changed", change.decisions},
          {"worst_score_difference", tidy(change.worst_score)}};
}

}  // namespace

int quantize_verb(Arguments arguments) {
  QuantizeOptions chosen;
  Options options("quantize",
                  "Stores a model with other weights: bf16 halves it, int8 quarters it; both are "
                  "faster. Decisions and small cells stay in f32. A model may also lose its rarest "
                  "words, which then count as unknown.",
                  "[FILE] [--weights TYPE] [--vocabulary N] --out FILE [options]");
  options.add_argument("FILE", chosen.model.file, "the model file; the same as --model",
                       Options::Need::optional);
  declare(options, chosen.model);
  options.add_choice("--weights", chosen.weights, {"f32", "bf16", "int8"}, "the type to store");
  options.add("--vocabulary", chosen.vocabulary, "N", "words to keep, the most frequent ones");
  options.add("--out", chosen.out, "FILE", "where to store the new model");
  options.add_flag("--json", chosen.json, "what changed, as JSON");
  options.add_flag("--quiet", chosen.quiet, "no remarks");
  options.add_exclusive({"FILE", "--model"});
  options.add_example("skim quantize imdb.skim --weights int8 --out imdb-int8.skim");
  options.add_example(
      "skim quantize asked.skim --weights int8 --vocabulary 40000 --out small.skim");
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (chosen.weights.empty() && chosen.vocabulary == 0)
    return wrong_usage("quantize", "say what to change: --weights TYPE, --vocabulary N or both");
  if (chosen.vocabulary < 0 || chosen.vocabulary == 1)
    return wrong_usage("quantize",
                       "--vocabulary must be 2 or more: one word stands for the unknown");
  if (chosen.out.empty()) return wrong_usage("quantize", "say where to store it with --out FILE");
  const auto change = quantize(chosen);
  if (!change) return failed("quantize", change.error());
  return print(chosen.json ? to_text(change_json(*change, chosen)) + "\n"
                           : change_text(*change, chosen));
}

}  // namespace skim::cli
