#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/json.h"
#include "base/result_macros.h"
#include "cli/about_text.h"
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

struct ModelInfo {
  ModelFile file;
  std::uintmax_t bytes = 0;
  std::size_t parameters = 0;

  std::size_t embedding_parameters() const {
    const TensorView* embedding = file.find("embedding.weight");
    return embedding == nullptr ? 0 : embedding->count();
  }
};

bool is_scale(const TensorView& tensor) { return tensor.name.ends_with(".scale"); }

Result<ModelInfo> load_info(const std::filesystem::path& path) {
  SKIM_ASSIGN_OR_RETURN(auto file, open_model_file(path, FileAccess::map));
  ModelInfo info{std::move(file), 0, 0};
  std::error_code ignored;
  info.bytes = std::filesystem::file_size(path, ignored);
  for (const TensorView& tensor : info.file.tensors) {
    // The scales of quantized tensors are part of their encoding, not parameters. (The scale of the
    // dot decision is a parameter: no tensor has its name without the suffix.)
    const std::string base = tensor.name.substr(0, tensor.name.size() - 6);
    const bool is_encoding = is_scale(tensor) && info.file.find(base) != nullptr;
    if (!is_encoding) info.parameters += tensor.count();
  }
  return info;
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

// What the model predicts.
std::pair<std::string, std::string> output_line(const ModelSpec& spec) {
  if (spec.output == OutputActivation::linear) return {"output", "a number (regression)"};
  const bool multi = spec.output == OutputActivation::sigmoid;
  return {"labels", labels_text(spec.labels) + (multi ? " (multi-label)" : "")};
}

std::string calibration_text(const Calibration& calibration) {
  if (calibration.points.empty()) return "none (see skim tune)";
  // Rounded up, so that the printed budget is valid.
  return "budgets " + format_number(std::ceil(calibration.points.back().work * 100) / 100, 2) +
         " to " + format_number(calibration.points.front().work, 2) + ", measured on " +
         calibration.data;
}

std::string temperature_text(const Calibration& calibration) {
  if (calibration.temperature == 1) return "1, not fitted (see skim tune)";
  return format_number(calibration.temperature, 4) + ", fitted on " + calibration.data;
}

std::string reader_text(const ModelSpec& spec) {
  std::string text(to_string(spec.reader.kind));
  text += " " + std::string(to_string(spec.reader.cell)) + ", " + std::to_string(spec.num_layers) +
          (spec.num_layers == 1 ? " layer" : " layers");
  return text + (spec.bidirectional ? ", both directions" : "");
}

std::string file_size_text(std::uintmax_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e4) return std::to_string(bytes) + " bytes";
  return size < 1e6 ? format_number(size / 1e3, 1) + " kB" : format_number(size / 1e6, 1) + " MB";
}

std::string subwords_text(const ModelFile& file) {
  const SubwordSpec& spec = file.spec.subwords;
  std::size_t bytes = 0;
  for (const TensorView& tensor : file.tensors)
    if (tensor.name.starts_with("subword.weight")) bytes += tensor.bytes.size();
  return std::to_string(spec.min_length) + " to " + std::to_string(spec.max_length) +
         " characters, " + std::to_string(spec.num_buckets) + " buckets, " + file_size_text(bytes);
}

std::string info_line(const std::string& name, const std::string& value) {
  constexpr std::size_t kNameWidth = 14;
  std::string line = printable(name);
  line.resize(std::max(kNameWidth, line.size() + 2), ' ');
  return line + printable(value) + "\n";
}

// The description, with its further lines below the first.
std::string about_text(const std::string& about) {
  std::string text;
  for (const auto& [name, value] : about_fields(about)) {
    text += info_line(text.empty() ? "about" : "", name.empty() ? value : name + ": " + value);
  }
  return text;
}

std::string info_text(const ModelInfo& info) {
  const ModelSpec& spec = info.file.spec;
  std::vector<std::pair<std::string, std::string>> lines = {
      {"file", info.file.name + ", " + file_size_text(info.bytes)},
      {"net",
       std::string(to_string(spec.net)) + ", pooling " + std::string(to_string(spec.pooling))},
      {"reader", reader_text(spec)},
      {"hidden size", std::to_string(spec.reader.hidden_size)}};
  if (spec.reader.kind == ReaderKind::skim) {
    lines.push_back({"skim sizes", joined(spec.reader.skim_sizes) + ", small input " +
                                       std::string(to_string(spec.reader.small_input))});
    lines.push_back({"decision", std::string(to_string(spec.reader.decision))});
  }
  if (spec.reader.kind == ReaderKind::lstm_jump) {
    const JumpSpec& jump = spec.reader.jump;
    const std::string of = jump.sentence_end_ids.empty() ? " words" : " sentences";
    lines.push_back({"jumps", "after " + std::to_string(jump.tokens_per_jump) + of + ", up to " +
                                  std::to_string(jump.max_jump) + of + " on, at most " +
                                  std::to_string(jump.max_jumps) + " times"});
  }
  lines.push_back({"vocabulary", std::to_string(spec.vocab_size) + ", embedding size " +
                                     std::to_string(spec.embedding_size) + ", tokenizer " +
                                     std::string(to_string(spec.tokenizer))});
  if (spec.subwords.enabled()) lines.push_back({"subwords", subwords_text(info.file)});
  lines.push_back({"parameters", std::to_string(info.parameters) + ", of which embedding " +
                                     std::to_string(info.embedding_parameters())});
  lines.push_back({"weight type", std::string(to_string(spec.weight_type))});
  lines.push_back(output_line(spec));
  lines.push_back({"calibration", calibration_text(info.file.calibration)});
  if (spec.is_softmax_classifier())
    lines.push_back({"temperature", temperature_text(info.file.calibration)});
  lines.push_back({"probes", std::to_string(info.file.probes.size())});
  lines.push_back({"checksum", info.file.checksum});
  std::string text;
  for (const auto& [name, value] : lines) text += info_line(name, value);
  return text + about_text(info.file.about);
}

Json info_json(const ModelInfo& info) {
  Json tensors = Json::array();
  for (const TensorView& tensor : info.file.tensors) {
    tensors.push_back(
        {{"name", tensor.name}, {"shape", tensor.shape}, {"bytes", tensor.bytes.size()}});
  }
  return {{"model", info.file.name},
          {"file_bytes", info.bytes},
          {"spec", to_json(info.file.spec)},
          {"labels", info.file.spec.labels},
          {"parameters", info.parameters},
          {"embedding_parameters", info.embedding_parameters()},
          {"weight_type", to_string(info.file.spec.weight_type)},
          {"calibration", to_json(info.file.calibration)},
          {"temperature", info.file.calibration.temperature},
          {"probes", info.file.probes.size()},
          {"checksum", info.file.checksum},
          {"about", info.file.about},
          {"tensors", std::move(tensors)}};
}

}  // namespace

int info_verb(Arguments arguments) {
  ModelChoice model;
  std::string file;
  bool json = false;
  Options options("info", "Shows the contents of a model file.", "[FILE] [options]");
  options.add_argument("FILE", file, "the model file; the same as --model",
                       Options::Need::optional);
  declare(options, model);
  options.add_flag("--json", json, "all fields as JSON, including the tensors");
  options.add_exclusive({"FILE", "--model"});
  options.add_example("skim info imdb.skim");
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (!file.empty()) model.file = file;
  const auto path = model_path(model);
  if (!path) return failed("info", path.error());
  const auto info = load_info(*path);
  if (!info) return failed("info", info.error());
  return print(json ? to_text(info_json(*info)) + "\n" : info_text(*info));
}

}  // namespace skim::cli
