#include "kernels/pack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace skim {
namespace {

// The same number of vectors in every group, give or take one unit: a short last group would leave
// the multiplier idle. Vectors that make no whole unit join the last group.
std::vector<PackGroup> even_groups(std::size_t vectors, std::size_t unit, std::size_t steps,
                                   std::size_t accumulators) {
  const std::size_t units = vectors / unit;
  const std::size_t most = std::max<std::size_t>(1, accumulators / unit);
  const std::size_t count = (units + most - 1) / most;
  std::vector<PackGroup> groups;
  std::size_t first = 0;
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t size = (units / count + (g < units % count ? 1 : 0)) * unit;
    groups.push_back(
        {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(size), first * steps});
    first += size;
  }
  groups.back().vectors += static_cast<std::uint32_t>(vectors % unit);
  return groups;
}

// No sum of products may leave this, whatever the state is; a little is left for rounding.
constexpr double kLargestSum = 2147483647.0 * 0.999;

// One row as integers of `type`'s width, and what one of them is worth.
class IntegerRow {
 public:
  IntegerRow(const PackRow& row, std::size_t columns, WeightType type)
      : row_(row), columns_(columns) {
    if (row.values == nullptr) return;
    float largest = 0;
    double total = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      largest = std::max(largest, std::fabs(row.values[c]));
      total += std::fabs(static_cast<double>(row.values[c]));
    }
    if (largest == 0) return;
    // Of the values before PackRow::scale: a row that was quantised for the file is found again
    // exactly.
    if (type == WeightType::int8) {
      quantum_ = largest / 127.0F;
    } else {
      const double for_sum = kShortScale * (total + static_cast<double>(largest)) / kLargestSum;
      quantum_ = static_cast<float>(std::max(static_cast<double>(largest) / 32767.0, for_sum));
    }
  }

  float quantum() const { return quantum_; }
  int at(std::size_t column) const {
    if (column >= columns_ || quantum_ == 0) return 0;
    return static_cast<int>(std::lrint(row_.values[column] / quantum_));
  }

 private:
  const PackRow& row_;
  std::size_t columns_;
  float quantum_ = 0;
};

// One packed 32-bit lane: the weights of one output for one step of the stream.
std::uint32_t float_lane(const PackRow& row, std::size_t step) {
  return std::bit_cast<std::uint32_t>(row.values[step] * row.scale);
}

std::uint32_t integer_lane(const IntegerRow& row, std::size_t step, WeightType type) {
  const auto field = [&row](std::size_t column, std::uint32_t mask, unsigned shift) {
    return (static_cast<std::uint32_t>(row.at(column)) & mask) << shift;
  };
  if (type == WeightType::bf16)
    return field(2 * step, 0xFFFFU, 0) | field(2 * step + 1, 0xFFFFU, 16);
  std::uint32_t lane = 0;
  for (unsigned i = 0; i < 4; ++i) lane |= field(4 * step + i, 0xFFU, 8 * i);
  return lane;
}

// What the zero point of the input adds to a sum, negated.
std::int32_t zero_offset(const IntegerRow& row, std::size_t columns) {
  std::int32_t sum = 0;
  for (std::size_t column = 0; column < columns; ++column) sum += row.at(column);
  return -kByteZero * sum;
}

std::size_t columns_a_step(WeightType type) {
  return type == WeightType::f32 ? 1 : type == WeightType::bf16 ? 2 : 4;
}

}  // namespace

PackedMatrix pack_matrix(std::span<const PackRow> rows, std::size_t columns, WeightType type,
                         std::size_t lanes, std::size_t unit, std::size_t most) {
  PackedMatrix packed;
  packed.type = type;
  packed.lanes = lanes;
  packed.rows = round_up(rows.size(), lanes);
  packed.columns = columns;
  packed.steps = (columns + columns_a_step(type) - 1) / columns_a_step(type);
  const bool integers = type != WeightType::f32;
  packed.groups = even_groups(packed.rows / lanes, unit, packed.steps,
                              most == 0 ? max_accumulators(type) : most);
  packed.weights = Buffer<std::byte>(packed.rows * packed.steps * sizeof(std::uint32_t));
  if (integers) packed.scales = Buffer<float>(packed.rows);
  if (type == WeightType::int8) packed.offsets = Buffer<std::int32_t>(packed.rows);
  const float input_scale = type == WeightType::int8 ? kByteScale : kShortScale;
  for (const PackGroup& group : packed.groups) {
    for (std::size_t output = 0; output < group.vectors * lanes; ++output) {
      const std::size_t index = group.first * lanes + output;
      if (index >= rows.size() || rows[index].values == nullptr) continue;
      const IntegerRow row(rows[index], integers ? columns : 0, type);
      for (std::size_t step = 0; step < packed.steps; ++step) {
        const std::uint32_t lane =
            integers ? integer_lane(row, step, type) : float_lane(rows[index], step);
        const std::size_t place = (group.offset + step * group.vectors) * lanes + output;
        std::memcpy(packed.weights.data() + place * sizeof lane, &lane, sizeof lane);
      }
      if (integers) packed.scales[index] = row.quantum() * rows[index].scale / input_scale;
      if (type == WeightType::int8) packed.offsets[index] = zero_offset(row, columns);
    }
  }
  return packed;
}

}  // namespace skim
