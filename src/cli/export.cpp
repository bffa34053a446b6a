#include <string>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "cli/model_choice.h"
#include "cli/output.h"
#include "cli/output_files.h"
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

struct ExportResult {
  ModelSpec spec;
  std::size_t bytes = 0;
};

Result<ExportResult> write_onnx(const ExportOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto path, model_path(chosen.model));
  SKIM_ASSIGN_OR_RETURN(const auto file, open_model_file(path));
  SKIM_ASSIGN_OR_RETURN(const auto bytes, export_onnx(file));
  if (!chosen.words.empty()) {
    SKIM_RETURN_IF_ERROR(write_atomically(chosen.words, std::string_view(onnx_vocab_json(file))));
  }
  SKIM_RETURN_IF_ERROR(write_atomically(chosen.onnx, std::string_view(bytes)));
  return ExportResult{file.spec, bytes.size()};
}

std::string result_text(const ExportResult& result, const ExportOptions& chosen) {
  std::string text = printable(chosen.onnx) + ": " + std::to_string(result.bytes) +
                     " bytes, ONNX opset " + std::to_string(kOnnxOpset) + "\n";
  if (result.spec.weight_type != WeightType::f32) {
    text += "The " + std::string(to_string(result.spec.weight_type)) +
            " weights were converted to f32 with the same values; see docs/interchange.md for "
            "differences\n";
  }
  if (result.spec.subwords.enabled())
    text += "Subwords are not exported: unknown words get the embedding with id 0\n";
  return text;
}

Json result_json(const ExportResult& result, const ExportOptions& chosen) {
  Json passes = Json::array();
  for (const PassSpec& pass : model_passes(result.spec)) passes.push_back(pass.name);
  return {{"onnx", chosen.onnx},
          {"file_bytes", result.bytes},
          {"opset", kOnnxOpset},
          {"inputs", {"words", "threshold"}},
          {"outputs", {"scores", "widths", "p_read"}},
          {"labels", result.spec.labels},
          {"passes", std::move(passes)}};
}

}  // namespace

int export_verb(Arguments arguments) {
  ExportOptions chosen;
  Options options("export",
                  "Exports a classifier to ONNX. The graph, too, runs only the small cell for "
                  "skimmed words.",
                  "[FILE] --onnx FILE [options]");
  options.add_argument("FILE", chosen.model.file, "the model file; the same as --model",
                       Options::Need::optional);
  declare(options, chosen.model);
  options.add("--onnx", chosen.onnx, "FILE", "where to write it");
  options.add("--words", chosen.words, "FILE",
              "also write labels, tokenizer and vocabulary as JSON; they are in the ONNX "
              "metadata, too");
  options.add_flag("--json", chosen.json, "what was written, as JSON");
  options.add_exclusive({"FILE", "--model"});
  options.add_example("skim export imdb.skim --onnx imdb.onnx");
  if (const auto exit_code = options.parse(arguments)) return *exit_code;
  if (chosen.onnx.empty()) return usage_error("export", "--onnx FILE is required");
  if (const auto fault = validate_outputs({{"--onnx", chosen.onnx}, {"--words", chosen.words}},
                                          {model_file(chosen.model)});
      !fault.empty())
    return usage_error("export", fault);
  const auto result = write_onnx(chosen);
  if (!result) return failed("export", result.error());
  return print(chosen.json ? to_text(result_json(*result, chosen)) + "\n"
                           : result_text(*result, chosen));
}

}  // namespace skim::cli
