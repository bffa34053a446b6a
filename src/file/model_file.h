// The model file: a safetensors file whose metadata holds the spec, the calibration and the probes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skim/model.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

// Element types of tensors. Model files contain no f16; imported files may.
enum class DataType { f32, bf16, f16, i8, u8, u32 };

// A tensor in a file or in memory. Does not own its bytes.
struct TensorView {
  std::string name;
  DataType type = DataType::f32;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;

  std::size_t count() const;  // product of the shape
};

// A stored query with the answer and the trace that the writer of the file computed.
struct Probe {
  Query query;
  Policy policy;
  int index = -1;                  // of the label or choice; -1 when the answer is a span
  std::size_t begin = 0, end = 0;  // the span, in bytes of the text
  std::vector<float> scores;
  Trace trace;
};

// The contents of a model file. A tensor `t` of type i8 comes with `t.scale` (f32, one per row).
struct ModelFile {
  std::string name;  // path of the file, for error messages
  ModelSpec spec;
  Calibration calibration;
  std::vector<Probe> probes;
  std::string about;                         // free text: how the model was made
  std::vector<std::string_view> vocabulary;  // vocab_size words by id; views into `owner`
  std::vector<TensorView> tensors;           // exactly those of model_tensors(spec), and scales
  std::string checksum;                      // of the header, verified: identifies the content
  std::uint64_t data_checksum = 0;           // as stored; see check_data_checksum
  std::span<const std::byte> data;           // all tensor bytes
  std::shared_ptr<const void> owner;         // keeps the bytes alive

  const TensorView* find(std::string_view tensor) const;
};

// How to access the bytes of a file. A mapped file opens faster (docs/decisions/015), but a program
// that truncates or overwrites it in place kills this process or changes its answers.
enum class FileAccess { copy, map };

// Opens and validates a file: every offset, size, shape and value is checked once, here. Files of
// format version 1 are translated (version1.h).
Result<ModelFile> open_model_file(const std::filesystem::path& path,
                                  FileAccess access = FileAccess::copy);
Result<ModelFile> open_model_bytes(std::vector<std::byte> bytes, std::string name);

// The checksum of tensor data.
std::uint64_t compute_checksum(std::span<const std::byte> data);
// Compares the tensor data with its checksum, which opening a file does not.
Result<void> check_data_checksum(const ModelFile& file);

// Dequantizes a tensor to f32.
std::vector<float> to_floats(const ModelFile& file, std::string_view tensor);
// Dequantizes one row of a matrix into `out` (shape[1] values). `scale` is needed for i8 only.
// Allocates nothing.
void row_to_floats(const TensorView& tensor, const TensorView* scale, std::size_t row, float* out);

// A model to be written. All tensors are f32; the writer quantizes those that model_tensors marks
// as quantized to spec.weight_type.
struct ModelDraft {
  ModelSpec spec;
  Calibration calibration;
  std::vector<Probe> probes;
  std::string about;
  std::vector<std::string> vocabulary;
  struct Tensor {
    std::string name;
    std::vector<float> values;  // of the shape in model_tensors
  };
  std::vector<Tensor> tensors;
};

Result<std::vector<std::byte>> to_bytes(const ModelDraft& draft);
// Replaces `path` atomically.
Result<void> write_model_file(const ModelDraft& draft, const std::filesystem::path& path);
// The draft that writes an equal file. Quantized tensors are dequantized; quantizing them again
// gives the same bytes.
ModelDraft to_draft(const ModelFile& file);

}  // namespace skim
