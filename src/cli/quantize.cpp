#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/result_macros.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/output_files.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/report.h"
#include "file/model_file.h"
#include "runtime/probes.h"
#include "spec/names.h"

namespace skim::cli {
namespace {

namespace fs = std::filesystem;

struct QuantizeOptions {
  ModelChoice model;
  std::string weights;
  int vocab_size = 0;  // words to keep; 0 keeps all
  std::string out;
  bool json = false;
  bool quiet = false;
};

// What changed for the stored probes.
struct Change {
  std::string weight_type;
  int vocab_size = 0;
  std::uintmax_t bytes_before = 0;
  std::uintmax_t bytes_after = 0;
  std::size_t probes = 0;
  std::size_t answers = 0;  // answers that changed
  std::size_t steps = 0;
  std::size_t decisions = 0;  // decisions that changed
  double max_score_difference = 0;
};

void compare(const Probe& before, const Probe& after, Change& change) {
  ++change.probes;
  change.answers += before.index != after.index ? 1U : 0U;
  for (std::size_t i = 0; i < std::min(before.scores.size(), after.scores.size()); ++i) {
    const float difference = std::abs(before.scores[i] - after.scores[i]);
    change.max_score_difference =
        std::max(change.max_score_difference, static_cast<double>(difference));
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

// Recomputes the probes with the new weights and compares them with the old ones.
Result<void> recompute_probes(ModelDraft& draft, const std::string& name, Change& change) {
  const auto old_probes = std::exchange(draft.probes, {});
  SKIM_ASSIGN_OR_RETURN(auto model, load_draft(draft, name));
  Session session(std::move(model));
  for (const Probe& old : old_probes) {
    SKIM_ASSIGN_OR_RETURN(auto fresh, make_probe(session, old.query, old.policy));
    compare(old, fresh, change);
    draft.probes.push_back(std::move(fresh));
  }
  return {};
}

// Appends a note on the change to the description and to the calibration.
void append_note(ModelDraft& draft, const std::string& change) {
  draft.about += (draft.about.empty() ? "The " : "\nThe ") + change + ".";
  if (draft.calibration != Calibration{}) draft.calibration.data += " (before the " + change + ")";
}

void convert_weights(ModelDraft& draft, WeightType to) {
  const WeightType from = std::exchange(draft.spec.weight_type, to);
  if (from == to) return;
  append_note(draft, "weights changed from " + std::string(to_string(from)) + " to " +
                         std::string(to_string(to)));
}

// Keeps the first words, because training sorts the vocabulary by frequency.
void truncate_vocabulary(ModelDraft& draft, int max_words) {
  const int from = draft.spec.vocab_size;
  if (max_words >= from) return;
  draft.spec.vocab_size = max_words;
  draft.vocabulary.resize(static_cast<std::size_t>(max_words));
  for (ModelDraft::Tensor& tensor : draft.tensors) {
    if (tensor.name != "embedding.weight") continue;
    tensor.values.resize(tensor.values.size() / static_cast<std::size_t>(from) *
                         static_cast<std::size_t>(max_words));
  }
  append_note(draft, "vocabulary changed from " + std::to_string(from) + " to " +
                         std::to_string(max_words) + " words");
}

Result<std::uintmax_t> size_of(const fs::path& path) {
  std::error_code failure;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure) return fail(Fault::io, path.string() + ": cannot inspect it: " + failure.message());
  return size;
}

Result<Change> quantize(const QuantizeOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto path, model_path(chosen.model));
  SKIM_ASSIGN_OR_RETURN(const auto file, open_model_file(path));
  ModelDraft draft = to_draft(file);
  if (!chosen.weights.empty()) {
    SKIM_ASSIGN_OR_RETURN(const auto type, enum_from_name<WeightType>(chosen.weights, "--weights"));
    convert_weights(draft, type);
  }
  if (chosen.vocab_size > 0) truncate_vocabulary(draft, chosen.vocab_size);
  const bool changed = draft.about != file.about;
  Change change;
  change.weight_type = to_string(draft.spec.weight_type);
  change.vocab_size = draft.spec.vocab_size;
  SKIM_RETURN_IF_ERROR(recompute_probes(draft, chosen.out, change));
  SKIM_ASSIGN_OR_RETURN(change.bytes_before, size_of(path));
  SKIM_RETURN_IF_ERROR(write_model_file(draft, chosen.out));
  SKIM_ASSIGN_OR_RETURN(change.bytes_after, size_of(chosen.out));
  if (!chosen.quiet && !draft.calibration.points.empty() && changed) {
    print_message("quantize",
                  "the calibration was measured with the old weights; run skim tune again");
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
         format_number(change.max_score_difference, 5) + "\n";
}

Json change_json(const Change& change, const QuantizeOptions& chosen) {
  return {{"model", chosen.out},
          {"weight_type", change.weight_type},
          {"vocab_size", change.vocab_size},
          {"file_bytes", change.bytes_after},
          {"file_bytes_before", change.bytes_before},
          {"probes", change.probes},
          {"answers_changed", change.answers},
          {"steps", change.steps},
          {"decisions_changed", change.decisions},
          {"max_score_difference", round_significant(change.max_score_difference)}};
}

}  // namespace

int quantize_verb(Arguments arguments) {
  QuantizeOptions chosen;
  Options options(
      "quantize",
      "Converts the weights of a model: bf16 halves and int8 quarters the file; both are "
      "faster. Decisions and small cells stay in f32. Can also truncate the vocabulary; "
      "removed words count as unknown, which subwords, if the model has them, compose.",
      "[FILE] [--weights TYPE] [--vocab-size N] --out FILE [options]");
  options.add_argument("FILE", chosen.model.file, "the model file; the same as --model",
                       Options::Need::optional);
  declare(options, chosen.model);
  options.add_choice("--weights", chosen.weights, {"f32", "bf16", "int8"}, "the weight type");
  options.add("--vocab-size", chosen.vocab_size, "N", "number of most frequent words to keep");
  options.add_renamed("--vocabulary", "--vocab-size");
  options.add("--out", chosen.out, "FILE", "where to write the new model");
  options.add_flag("--json", chosen.json, "what changed, as JSON");
  options.add_flag("--quiet", chosen.quiet, "no notes");
  options.add_exclusive({"FILE", "--model"});
  options.add_example("skim quantize imdb.skim --weights int8 --out imdb-int8.skim");
  options.add_example(
      "skim quantize model.skim --weights int8 --vocab-size 40000 --out small.skim");
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (chosen.weights.empty() && chosen.vocab_size == 0)
    return usage_error("quantize", "nothing to do; give --weights TYPE, --vocab-size N or both");
  if (chosen.vocab_size < 0 || chosen.vocab_size == 1)
    return usage_error("quantize",
                       "--vocab-size must be 2 or more, because one entry is the unknown word");
  if (chosen.out.empty()) return usage_error("quantize", "--out FILE is required");
  if (const auto fault = validate_outputs({{"--out", chosen.out}}, {model_file(chosen.model)});
      !fault.empty())
    return usage_error("quantize", fault);
  const auto change = quantize(chosen);
  if (!change) return failed("quantize", change.error());
  return print(chosen.json ? to_text(change_json(*change, chosen)) + "\n"
                           : change_text(*change, chosen));
}

}  // namespace skim::cli
