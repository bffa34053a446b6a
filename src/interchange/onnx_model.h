// A classifier as an ONNX model. docs/interchange.md describes what comes out.
#pragma once

#include <string>

#include "file/model_file.h"
#include "skim/result.h"

namespace skim {

inline constexpr int kOnnxOperators = 17;  // version of the operator set

// The bytes of the ONNX file. Weights of all types become f32. Errors (Fault::argument) say what of
// the model has no counterpart, or that it is too large for the format.
Result<std::string> onnx_bytes(const ModelFile& file);

// Labels, tokenizer and words as JSON, for programs that cannot look into the ONNX file's metadata.
std::string onnx_words_json(const ModelFile& file);

}  // namespace skim
