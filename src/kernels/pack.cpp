#include "kernels/pack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace skim {
namespace {

// The same number of vectors in every group, give or take one unit: a short last group would leave
// the multiplier idle.
std::vector<PackGroup> even_groups(std::size_t vectors, std::size_t unit, std::size_t steps) {
  const std::size_t units = vectors / unit;
  const std::size_t most = std::max<std::size_t>(1, kMaxAccumulators / unit);
  const std::size_t count = (units + most - 1) / most;
  std::vector<PackGroup> groups;
  std::size_t first = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t size = (units / count + (g < units % count ? 1 : 0)) * unit;
    groups.push_back(
        {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(size), first * steps});
    first += size;
  }
  return groups;
}

std::uint32_t bf16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
}

// The lane of two weights: `even` rounded into the low half, and above it the 16 bits that bring
// the lane as a whole, read as one float, closest to `odd`.
std::uint32_t bf16_pair(float even, float odd) {
  const std::uint32_t low = bf16_bits(even);
  const std::uint32_t above = std::bit_cast<std::uint32_t>(odd) & 0xFFFF0000U;
  std::uint32_t best = above | low;
  for (const std::uint32_t high : {above - 0x10000U, above + 0x10000U}) {
    const auto error = [odd](std::uint32_t bits) {
      return std::fabs(std::bit_cast<float>(bits) - odd);
    };
    // Not beyond zero or infinity: the sign and finiteness of the weight stay.
    const bool same_sign = ((high ^ above) & 0x80000000U) == 0;
    if (same_sign && std::isfinite(std::bit_cast<float>(high)) && error(high | low) < error(best))
      best = high | low;
  }
  return best;
}

float value_at(const PackRow& row, std::size_t column, std::size_t columns) {
  return row.values == nullptr || column >= columns ? 0.0F : row.values[column] * row.scale;
}

// One packed 32-bit lane: the weights of one output for one step of the stream.
class LaneMaker {
 public:
  LaneMaker(const PackRow& row, std::size_t columns, WeightType type)
      : row_(row), columns_(columns), type_(type) {
    if (type == WeightType::int8 && row.values != nullptr) {
      for (std::size_t c = 0; c < columns; ++c)
        largest_ = std::max(largest_, std::fabs(row.values[c]));
    }
  }
  // Of the values before PackRow::scale: a row that was quantised for the file is found again
  // exactly.
  float quantum() const { return largest_ / 127.0F; }
  int integer(std::size_t column) const {
    if (column >= columns_ || largest_ == 0) return 0;
    return static_cast<int>(std::lrint(row_.values[column] / quantum()));
  }
  std::uint32_t lane(std::size_t step) const {
    if (type_ == WeightType::f32)
      return std::bit_cast<std::uint32_t>(value_at(row_, step, columns_));
    if (type_ == WeightType::bf16) {
      return bf16_pair(value_at(row_, 2 * step, columns_), value_at(row_, 2 * step + 1, columns_));
    }
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      bits |= (static_cast<std::uint32_t>(integer(4 * step + i)) & 0xFFU) << (8 * i);
    }
    return bits;
  }

 private:
  const PackRow& row_;
  std::size_t columns_;
  WeightType type_;
  float largest_ = 0;
};

std::size_t columns_a_step(WeightType type) {
  return type == WeightType::f32 ? 1 : type == WeightType::bf16 ? 2 : 4;
}

}  // namespace

PackedMatrix pack_matrix(std::span<const PackRow> rows, std::size_t columns, WeightType type,
                         std::size_t lanes, std::size_t unit) {
  PackedMatrix packed;
  packed.type = type;
  packed.lanes = lanes;
  packed.rows = round_up(rows.size(), lanes * unit);
  packed.columns = columns;
  packed.steps = (columns + columns_a_step(type) - 1) / columns_a_step(type);
  packed.groups = even_groups(packed.rows / lanes, unit, packed.steps);
  packed.weights = Buffer<std::byte>(packed.rows * packed.steps * sizeof(std::uint32_t));
  if (type == WeightType::int8) {
    packed.scales = Buffer<float>(packed.rows);
    packed.offsets = Buffer<std::int32_t>(packed.rows);
  }
  for (const PackGroup& group : packed.groups) {
    for (std::size_t output = 0; output < group.vectors * lanes; ++output) {
      const std::size_t index = group.first * lanes + output;
      if (index >= rows.size() || rows[index].values == nullptr) continue;
      const LaneMaker maker(rows[index], columns, type);
      for (std::size_t step = 0; step < packed.steps; ++step) {
        const std::uint32_t lane = maker.lane(step);
        const std::size_t place = (group.offset + step * group.vectors) * lanes + output;
        std::memcpy(packed.weights.data() + place * sizeof lane, &lane, sizeof lane);
      }
      if (type != WeightType::int8) continue;
      packed.scales[index] = maker.quantum() * rows[index].scale / kActivationScale;
      std::int32_t sum = 0;
      for (std::size_t column = 0; column < columns; ++column) sum += maker.integer(column);
      packed.offsets[index] = -kActivationZero * sum;
    }
  }
  return packed;
}

}  // namespace skim
