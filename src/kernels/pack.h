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
// Of 16-bit products: a read of 100 units takes 1.04 us with 8, 1.18 with 12, 1.15 with 4.
inline constexpr std::size_t kMaxBf16Accumulators = 8;

inline constexpr std::size_t max_accumulators(WeightType type) {
  return type == WeightType::bf16 ? kMaxBf16Accumulators : kMaxAccumulators;
}

// For a cell of so many gates. The RNN's one would need a loop for each number up to 12; 8 sums
// hide the latency of a product, too, and are a third less work for the compiler.
inline constexpr std::size_t cell_accumulators(WeightType type, std::size_t gates) {
  return gates == 1 ? 8 : max_accumulators(type);
}

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
  Buffer<float> scales;          // bf16, int8: what one unit of an output's integer sum is worth
  Buffer<std::int32_t> offsets;  // int8: what the input's zero point adds up to, negated

  const float* f32() const { return reinterpret_cast<const float*>(weights.data()); }
  std::size_t weight_bytes() const { return weights.size(); }
};

// `rows` are padded to a multiple of lanes with zero rows. Groups hold a multiple of `unit`
// vectors, at most `most` (0: what the type allows); what is left of them after whole units joins
// the last group.
PackedMatrix pack_matrix(std::span<const PackRow> rows, std::size_t columns, WeightType type,
                         std::size_t lanes, std::size_t unit = 1, std::size_t most = 0);

// How the products with small weights see an entry h of the state, which lies in [-1, 1].
//
// bf16: round(4096 h). 13 bits leave 18 for the sum of a row's magnitudes, so that weights keep at
// least 11 bits up to a thousand columns; bf16 itself has 8.
inline constexpr float kShortScale = 4096.0F;
// int8: 64 + round(63 h), unsigned. Seven bits, so that the sum of two products with 8-bit weights
// cannot overflow 16 bits.
inline constexpr float kByteScale = 63.0F;
inline constexpr int kByteZero = 64;

}  // namespace skim
