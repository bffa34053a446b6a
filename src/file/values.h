// Validation, quantization and dequantization of tensor values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "file/safetensors.h"
#include "skim/result.h"

namespace skim {

// A larger scale could make a weight infinite.
inline constexpr float kMaxScale = 1e36F;

// Index of the first invalid weight: NaN or infinite in f32, bf16 and f16, -128 in i8 (quantization
// is symmetric). nullopt when all are valid. Bytes need not be aligned; runs at about memory speed.
std::optional<std::size_t> find_invalid(DataType type, std::span<const std::byte> bytes);

// Dequantizes a tensor. `scale` is needed for i8 only, which must be a matrix.
std::vector<float> to_floats(const TensorView& tensor, const TensorView* scale);

TensorBytes store_f32(std::string name, std::vector<std::size_t> shape,
                      std::span<const float> values);

// Rounds to nearest, ties to even. Fails when a value overflows.
Result<TensorBytes> store_bf16(std::string name, std::vector<std::size_t> shape,
                               std::span<const float> values);

// A matrix quantized to i8 with one scale per row: value = stored * scale. A scale is the largest
// magnitude of the row over 127, rounded up to 17 significant bits: then the product with a stored
// value (7 bits) is exact in f32 (24 bits), and quantizing the products again gives the same bytes.
// Rows with no magnitude above 1e-30 become zeros with scale 0.
struct Quantized {
  TensorBytes values;
  TensorBytes scale;
};
Result<Quantized> store_i8(std::string name, std::vector<std::size_t> shape,
                           std::span<const float> values);

}  // namespace skim
