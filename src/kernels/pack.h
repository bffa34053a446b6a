// Weights laid out in the order in which the kernels stream them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "skim/spec.h"

namespace skim {

// One row of a matrix on its way into a pack: `scale` is multiplied in; a null row is all zero.
struct PackRow {
  const float* values = nullptr;
  float scale = 1.0F;
};

// Consecutive vectors of outputs that are accumulated together.
struct PackGroup {
  std::uint32_t first = 0;    // first output vector
  std::uint32_t vectors = 0;  // how many, at most kMaxAccumulators
  std::size_t offset = 0;     // where its weights begin, in units of one packed vector
};

// 12 accumulators leave four of AVX2's sixteen registers for the broadcast input and temporaries.
inline constexpr std::size_t kMaxAccumulators = 12;

// A matrix packed for vectors of `lanes` outputs. Group after group; in a group column after column
// (f32), pair of columns after pair (bf16), four after four (int8); for each the group's vectors
// one after the other. One sequential stream, one broadcast for up to 12 products.
struct PackedMatrix {
  WeightType type = WeightType::f32;
  std::size_t lanes = 0;
  std::size_t rows = 0;     // outputs, a multiple of lanes
  std::size_t columns = 0;  // inputs, as given
  std::size_t steps = 0;    // columns, pairs or fours of them
  std::vector<PackGroup> groups;
  Buffer<std::byte> weights;
  Buffer<float> scales;          // int8: one an output
  Buffer<std::int32_t> offsets;  // int8: what the activations' zero point of 64 adds up to, negated

  const float* f32() const { return reinterpret_cast<const float*>(weights.data()); }
  std::size_t weight_bytes() const { return weights.size(); }
};

// `rows` are padded to a multiple of lanes with zero rows. Groups hold a multiple of `unit`
// vectors.
PackedMatrix pack_matrix(std::span<const PackRow> rows, std::size_t columns, WeightType type,
                         std::size_t lanes, std::size_t unit = 1);

// Activations of int8 products: h in [-1, 1] becomes 64 + round(63 h). Seven bits, so that the sum
// of two products with 8-bit weights cannot overflow 16 bits.
inline constexpr float kActivationScale = 63.0F;
inline constexpr int kActivationZero = 64;

}  // namespace skim
