// The model file: a valid safetensors file whose metadata holds spec, labels, calibration and
// probes.
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

// No model file holds f16; other programs' files do.
enum class DataType { f32, bf16, f16, i8, u8, u32 };

// A tensor inside a file that stays open, or inside the caller's memory.
struct TensorView {
  std::string name;
  DataType type = DataType::f32;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;

  std::size_t count() const;  // product of the shape
};

// A stored question with the answer and the decisions that the maker of the file got.
struct Probe {
  Query query;
  Policy policy;
  int index = -1;                  // of the answer, or
  std::size_t begin = 0, end = 0;  // where it stands in the text
  std::vector<float> scores;
  Trace trace;
};

// Everything a model file says. A quantized tensor `t` of type i8 comes with `t.scale` (f32, one a
// row).
struct ModelFile {
  std::string name;  // the file's path, for messages
  ModelSpec spec;
  Calibration calibration;
  std::vector<Probe> probes;
  std::string about;  // free text: how the model was made
  std::vector<std::string_view>
      vocabulary;                     // spec.vocabulary words, id 0 first; views into `owner`
  std::vector<TensorView> tensors;    // exactly those model_tensors(spec) names, plus scales
  std::uint64_t data_checksum = 0;    // as stored; compare with checksum_of_data
  std::span<const std::byte> data;    // all tensor bytes
  std::shared_ptr<const void> owner;  // keeps the bytes alive

  const TensorView* find(std::string_view tensor) const;
};

// Opens a file by mapping it. Every offset, size, shape and value is checked here, once: what comes
// back is sound.
Result<ModelFile> open_model_file(const std::filesystem::path& path);
Result<ModelFile> open_model_bytes(std::vector<std::byte> bytes, std::string name);

std::uint64_t checksum_of_data(std::span<const std::byte> data);

// Values of a tensor as f32, whatever its stored type; `scale` is needed for i8 only.
std::vector<float> to_floats(const ModelFile& file, std::string_view tensor);
// One row of a matrix as f32 into `out` (shape[1] values); allocates nothing.
void row_to_floats(const TensorView& tensor, const TensorView* scale, std::size_t row, float* out);

// A model on its way into a file. All tensors are given in f32; the writer stores those that
// model_tensors marks as quantized in spec.weights' type.
struct ModelDraft {
  ModelSpec spec;
  Calibration calibration;
  std::vector<Probe> probes;
  std::string about;
  std::vector<std::string> vocabulary;
  struct Tensor {
    std::string name;
    std::vector<float> values;  // the shape is what model_tensors says
  };
  std::vector<Tensor> tensors;
};

Result<std::vector<std::byte>> to_bytes(const ModelDraft& draft);
// Writes to a temporary file beside `path`, syncs it, renames it.
Result<void> write_model_file(const ModelDraft& draft, const std::filesystem::path& path);
// The draft that would write this file again (for tune and quantize). Quantized tensors come back
// as they were rounded, and rounding them again gives the same bytes.
ModelDraft to_draft(const ModelFile& file);

}  // namespace skim
