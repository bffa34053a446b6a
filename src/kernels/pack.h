// Packing and quantization of weights for the SIMD kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "skim/spec.h"

namespace skim {

// One row of a matrix to pack. Its values are multiplied by `scale`; a null row is all zero.
struct PackRow {
  const float* values = nullptr;
  float scale = 1.0F;
};

// Consecutive vectors of outputs that are accumulated together.
struct PackGroup {
  std::uint32_t first = 0;    // first output vector
  std::uint32_t vectors = 0;  // number of output vectors, at most kMaxAccumulators
  std::size_t offset = 0;     // of its weights, in packed vectors
};

// 12 accumulators leave four of AVX2's sixteen registers for the broadcast input and temporaries.
inline constexpr std::size_t kMaxAccumulators = 12;
// For 16-bit products: a read of 100 units takes 1.04 us with 8, 1.18 with 12, 1.15 with 4.
inline constexpr std::size_t kMaxBf16Accumulators = 8;

inline constexpr std::size_t max_accumulators(WeightType type) {
  return type == WeightType::bf16 ? kMaxBf16Accumulators : kMaxAccumulators;
}

// Number of accumulators for a cell with `gates` gates. With the RNN's one gate every count up to
// 12 would need its own loop; 8 accumulators hide the latency as well and compile a third faster.
inline constexpr std::size_t cell_accumulators(WeightType type, std::size_t gates) {
  return gates == 1 ? 8 : max_accumulators(type);
}

// A matrix packed for vectors of `lanes` outputs. Layout: groups; within a group single columns
// (f32), pairs (bf16) or quadruples of columns (int8); within those the vectors of the group. The
// kernels read it as one sequential stream, with one broadcast of the input for up to 12 products.
struct PackedMatrix {
  WeightType type = WeightType::f32;
  std::size_t lanes = 0;
  std::size_t rows = 0;     // outputs, a multiple of lanes
  std::size_t columns = 0;  // inputs, unpadded
  std::size_t steps = 0;    // columns, pairs or quadruples of columns
  bool dot = false;  // whether to use dot product instructions (has_dot_products); same layout
  std::vector<PackGroup> groups;
  Buffer<std::byte> weights;
  Buffer<float> scales;          // bf16, int8: scale of each output's integer sum
  Buffer<std::int32_t> offsets;  // int8: negated contribution of the input's zero point

  const float* f32() const { return reinterpret_cast<const float*>(weights.data()); }
  std::size_t weight_bytes() const { return weights.size(); }
};

// Packs `rows`, padded with zero rows to a multiple of `lanes`, and quantizes them for bf16 and
// int8. A group holds a multiple of `unit` vectors, at most `max_vectors` (0: the maximum of the
// type); vectors left over after whole units join the last group.
PackedMatrix pack_matrix(std::span<const PackRow> rows, std::size_t columns, WeightType type,
                         std::size_t lanes, std::size_t unit = 1, std::size_t max_vectors = 0);

// Quantization of an entry h of the hidden state, which lies in [-1, 1], for products with
// quantized weights.
//
// bf16: round(4096 h). 13 bits leave 18 for the sum of a row's magnitudes, so that weights keep at
// least 11 bits up to a thousand columns; bf16 itself has 8.
inline constexpr float kInt16StateScale = 4096.0F;
// int8: 64 + round(63 h), unsigned. Seven bits, so that the sum of two products with 8-bit weights
// cannot overflow 16 bits.
inline constexpr float kUint8StateScale = 63.0F;
inline constexpr int kUint8ZeroPoint = 64;

}  // namespace skim
