// Numbers as the file stores them: checks at load, conversions from and to f32.
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

// Scales beyond this could make a weight infinite.
inline constexpr float kMaxScale = 1e36F;

// Index of the first value that no weight may have: NaN or infinite in f32, bf16 and f16, -128 in
// i8 (stored weights are symmetric). Nothing when all are sound. Reads unaligned bytes safely, at
// about the speed of memory.
std::optional<std::size_t> first_unsound(DataType type, std::span<const std::byte> bytes);

// A whole tensor in f32, whatever its type; `scale` is needed for i8 only, which must be a matrix.
std::vector<float> floats_of(const TensorView& tensor, const TensorView* scale);

TensorBytes store_f32(std::string name, std::vector<std::size_t> shape,
                      std::span<const float> values);

// Rounds to the nearest, ties to even. An error when a value is too large for the type.
Result<TensorBytes> store_bf16(std::string name, std::vector<std::size_t> shape,
                               std::span<const float> values);

// A matrix in i8 and its scales, one a row: value = stored * scale. A scale is the row's largest
// magnitude over 127, rounded up to 17 significant bits: then every product of a stored value (7
// bits) with it is exact in f32 (24 bits), and storing the products again gives the same bytes.
// Rows that hold nothing above 1e-30 become zeros with scale 0.
struct Quantized {
  TensorBytes values;
  TensorBytes scale;
};
Result<Quantized> store_i8(std::string name, std::vector<std::size_t> shape,
                           std::span<const float> values);

}  // namespace skim
