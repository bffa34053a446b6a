// Exports a classifier to ONNX. docs/interchange.md describes the result.
#pragma once

#include <string>

#include "file/model_file.h"
#include "skim/result.h"

namespace skim {

inline constexpr int kOnnxOpset = 17;  // opset version

// Returns the bytes of the ONNX file. Converts all weights to f32. Fails (Fault::argument) for
// models that cannot be expressed or are too large for the format.
Result<std::string> export_onnx(const ModelFile& file);

// Returns labels, tokenizer and vocabulary as JSON, for programs that cannot read ONNX metadata.
std::string onnx_vocab_json(const ModelFile& file);

}  // namespace skim
