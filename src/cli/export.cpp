#include <string>

#include "base/file.h"
#include "base/json.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "file/model_file.h"
#include "interchange/onnx_model.h"
#include "spec/names.h"
#include "spec/params.h"

namespace skim::cli {
namespace {

struct ExportOptions {
  ModelChoice model;
  std::string onnx;
  std::string words;
  bool json = false;
};

struct Exported {
  ModelSpec spec;
  std::size_t bytes = 0;
};

Result<Exported> write_onnx(const ExportOptions& chosen) {
  const auto path = model_path(chosen.model);
  if (!path) return tl::make_unexpected(path.error());
  const auto file = open_model_file(*path);
  if (!file) return tl::make_unexpected(file.error());
  const auto bytes = onnx_bytes(*file);
  if (!bytes) return tl::make_unexpected(bytes.error());
  if (!chosen.words.empty()) {
    auto written = write_atomically(chosen.words, std::string_view(onnx_words_json(*file)));
    if (!written) return tl::make_unexpected(written.error());
  }
  if (auto written = write_atomically(chosen.onnx, std::string_view(*bytes)); !written) {
    return tl::make_unexpected(written.error());
  }
  return Exported{file->spec, bytes->size()};
}

std::string exported_text(const Exported& made, const ExportOptions& chosen) {
  std::string text = printable(chosen.onnx) + ": " + std::to_string(made.bytes) +
                     " bytes, ONNX operators version " + std::to_string(kOnnxOperators) + "\n";
  if (made.spec.weights != WeightType::f32) {
    text +=
        "The " + std::string(name_of(made.spec.weights)) +
        " weights are f32 in it, with the same values; see docs/interchange.md on what differs\n";
  }
  return text;
}

Json exported_json(const Exported& made, const ExportOptions& chosen) {
  Json passes = Json::array();
  for (const PassSpec& pass : passes_of(made.spec)) passes.push_back(pass.name);
  return {{"onnx", chosen.onnx},
          {"file_bytes", made.bytes},
          {"operators", kOnnxOperators},
          {"inputs", {"words", "threshold"}},
          {"outputs", {"scores", "widths", "p_read"}},
          {"labels", made.spec.labels},
          {"passes", std::move(passes)}};
}

}  // namespace

int export_verb(Arguments arguments) {
  ExportOptions chosen;
  Options options("export",
                  "Writes a classifier as an ONNX file. In it, too, only the small cell runs for "
                  "words that are skimmed.",
                  "[FILE] --onnx FILE [options]");
  options.add_argument("FILE", chosen.model.file, "the model file; the same as --model",
                       Options::Need::optional);
  declare(options, chosen.model);
  options.add("--onnx", chosen.onnx, "FILE", "where to write it");
  options.add("--words", chosen.words, "FILE",
              "also write labels, tokenizer and words as JSON; they are in the ONNX file's "
              "metadata, too");
  options.add_flag("--json", chosen.json, "what was written, as JSON");
  options.add_exclusive({"FILE", "--model"});
  options.add_example("skim export imdb.skim --onnx imdb.onnx");
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (chosen.onnx.empty()) return wrong_usage("export", "say where to write it with --onnx FILE");
  const auto made = write_onnx(chosen);
  if (!made) return failed("export", made.error());
  return print(chosen.json ? to_text(exported_json(*made, chosen)) + "\n"
                           : exported_text(*made, chosen));
}

}  // namespace skim::cli
