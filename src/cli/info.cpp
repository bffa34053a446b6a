#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/json.h"
#include "cli/html.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "eval/report.h"
#include "file/model_file.h"
#include "spec/names.h"
#include "spec/spec_json.h"

namespace skim::cli {
namespace {

struct Facts {
  ModelFile file;
  std::uintmax_t bytes = 0;
  std::size_t parameters = 0;

  std::size_t vectors() const {
    const TensorView* words = file.find("words");
    return words == nullptr ? 0 : words->count();
  }
};

bool is_scale(const TensorView& tensor) { return tensor.name.ends_with(".scale"); }

Result<Facts> facts_of(const std::filesystem::path& path) {
  auto file = open_model_file(path);
  if (!file) return tl::make_unexpected(file.error());
  Facts facts{std::move(*file), 0, 0};
  std::error_code ignored;
  facts.bytes = std::filesystem::file_size(path, ignored);
  for (const TensorView& tensor : facts.file.tensors) {
    // The scales of quantized weights are how these are stored, not more of them. (The dot
    // decision's own scales are f32 weights beside a tensor that is not quantized.)
    const std::string of = tensor.name.substr(0, tensor.name.size() - 6);
    const bool stored_form = is_scale(tensor) && facts.file.find(of) != nullptr;
    if (!stored_form) facts.parameters += tensor.count();
  }
  return facts;
}

std::string joined(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text.empty() ? "none" : text;
}

std::string labels_text(const std::vector<std::string>& labels) {
  constexpr std::size_t kShown = 8;
  std::string text = std::to_string(labels.size()) + ": ";
  for (std::size_t i = 0; i < std::min(labels.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + labels[i];
  }
  return labels.size() > kShown ? text + ", ..." : text;
}

std::string calibration_text(const Calibration& calibration) {
  if (calibration.points.empty()) return "none (see skim tune)";
  // Rounded up: a budget that is named here can be kept.
  return "budgets " + number_text(std::ceil(calibration.points.back().work * 100) / 100, 2) +
         " to " + number_text(calibration.points.front().work, 2) + ", measured on " +
         calibration.data;
}

std::string reader_text(const ModelSpec& spec) {
  std::string text(name_of(spec.reader.kind));
  text += " " + std::string(name_of(spec.reader.cell)) + ", " + std::to_string(spec.layers) +
          (spec.layers == 1 ? " layer" : " layers");
  return text + (spec.bidirectional ? ", both directions" : "");
}

std::string file_size_text(std::uintmax_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e4) return std::to_string(bytes) + " bytes";
  return size < 1e6 ? number_text(size / 1e3, 1) + " kB" : number_text(size / 1e6, 1) + " MB";
}

std::string facts_text(const Facts& facts) {
  const ModelSpec& spec = facts.file.spec;
  std::vector<std::pair<std::string, std::string>> lines = {
      {"file", facts.file.name + ", " + file_size_text(facts.bytes)},
      {"net", std::string(name_of(spec.net)) + ", pooling " + std::string(name_of(spec.pooling))},
      {"reader", reader_text(spec)},
      {"hidden units", std::to_string(spec.reader.hidden)}};
  if (spec.reader.kind == ReaderKind::skim) {
    lines.push_back({"small units", joined(spec.reader.small) + ", sees " +
                                        std::string(name_of(spec.reader.small_sees))});
    lines.push_back({"decision", std::string(name_of(spec.reader.decision))});
  }
  if (spec.reader.kind == ReaderKind::jump) {
    const JumpSpec& jump = spec.reader.jump;
    const std::string of = jump.ends.empty() ? " words" : " sentences";
    lines.push_back({"jumps", "after " + std::to_string(jump.run) + of + ", up to " +
                                  std::to_string(jump.reach) + of + " on, at most " +
                                  std::to_string(jump.most) + " times"});
  }
  lines.push_back({"words", std::to_string(spec.vocabulary) + ", vectors of " +
                                std::to_string(spec.word_width) + ", tokenizer " +
                                std::string(name_of(spec.tokenizer))});
  lines.push_back({"parameters", std::to_string(facts.parameters) + ", of them word vectors " +
                                     std::to_string(facts.vectors())});
  lines.push_back({"weights", std::string(name_of(spec.weights))});
  lines.push_back({"labels", labels_text(spec.labels)});
  lines.push_back({"calibration", calibration_text(facts.file.calibration)});
  lines.push_back({"probes", std::to_string(facts.file.probes.size())});
  if (!facts.file.about.empty()) lines.push_back({"about", facts.file.about});
  std::string text;
  for (const auto& [name, value] : lines) {
    std::string line = name;
    line.resize(14, ' ');
    text += line + printable(value) + "\n";
  }
  return text;
}

Json facts_json(const Facts& facts) {
  Json tensors = Json::array();
  for (const TensorView& tensor : facts.file.tensors) {
    tensors.push_back(
        {{"name", tensor.name}, {"shape", tensor.shape}, {"bytes", tensor.bytes.size()}});
  }
  return {{"model", facts.file.name},
          {"file_bytes", facts.bytes},
          {"spec", json_of(facts.file.spec)},
          {"labels", facts.file.spec.labels},
          {"parameters", facts.parameters},
          {"word_parameters", facts.vectors()},
          {"weights", name_of(facts.file.spec.weights)},
          {"calibration", json_of(facts.file.calibration)},
          {"probes", facts.file.probes.size()},
          {"about", facts.file.about},
          {"tensors", std::move(tensors)}};
}

}  // namespace

int info_verb(Arguments arguments) {
  ModelChoice model;
  std::string file;
  bool json = false;
  Options options("info", "What is in a model file.", "[FILE] [options]");
  options.add_argument("FILE", file, "the model file; the same as --model",
                       Options::Need::optional);
  declare(options, model);
  options.add_flag("--json", json, "everything as JSON, with all tensors");
  options.add_exclusive({"FILE", "--model"});
  options.add_example("skim info imdb.skim");
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (!file.empty()) model.file = file;
  const auto path = model_path(model);
  if (!path) return failed("info", path.error());
  const auto facts = facts_of(*path);
  if (!facts) return failed("info", facts.error());
  return print(json ? to_text(facts_json(*facts)) + "\n" : facts_text(*facts));
}

}  // namespace skim::cli
