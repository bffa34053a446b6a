#include "kernels/pack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace skim {
namespace {

// Splits the vectors into groups whose sizes differ by at most one unit: a short last group would
// leave the multiplier idle. Vectors that do not fill a unit join the last group.
std::vector<PackGroup> balanced_groups(std::size_t vectors, std::size_t unit, std::size_t steps,
                                       std::size_t accumulators) {
  const std::size_t units = vectors / unit;
  const std::size_t max_units = std::max<std::size_t>(1, accumulators / unit);
  const std::size_t count = (units + max_units - 1) / max_units;
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

// Bound of every sum of products, for any state; leaves a margin for rounding.
constexpr double kMaxAccumulator = 2147483647.0 * 0.999;

// One row quantized to integers of the width of `type`, with its quantization step size.
class QuantizedRow {
 public:
  QuantizedRow(const PackRow& row, std::size_t columns, WeightType type)
      : row_(row), columns_(columns) {
    if (row.values == nullptr) return;
    float max_magnitude = 0;
    double total = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      max_magnitude = std::max(max_magnitude, std::fabs(row.values[c]));
      total += std::fabs(static_cast<double>(row.values[c]));
    }
    if (max_magnitude == 0) return;
    // Taken from the values before PackRow::scale, so that a row quantized in the file is recovered
    // exactly.
    if (type == WeightType::int8) {
      step_size_ = max_magnitude / 127.0F;
    } else {
      const double min_step_size =
          kInt16StateScale * (total + static_cast<double>(max_magnitude)) / kMaxAccumulator;
      step_size_ =
          static_cast<float>(std::max(static_cast<double>(max_magnitude) / 32767.0, min_step_size));
    }
  }

  float step_size() const { return step_size_; }
  int at(std::size_t column) const {
    if (column >= columns_ || step_size_ == 0) return 0;
    return static_cast<int>(std::lrint(row_.values[column] / step_size_));
  }

 private:
  const PackRow& row_;
  std::size_t columns_;
  float step_size_ = 0;
};

// One packed 32-bit lane: the weights of one output for one step of the stream.
std::uint32_t float_lane(const PackRow& row, std::size_t step) {
  return std::bit_cast<std::uint32_t>(row.values[step] * row.scale);
}

std::uint32_t quantized_lane(const QuantizedRow& row, std::size_t step, WeightType type) {
  const auto field = [&row](std::size_t column, std::uint32_t mask, unsigned shift) {
    return (static_cast<std::uint32_t>(row.at(column)) & mask) << shift;
  };
  if (type == WeightType::bf16)
    return field(2 * step, 0xFFFFU, 0) | field(2 * step + 1, 0xFFFFU, 16);
  std::uint32_t lane = 0;
  for (unsigned i = 0; i < 4; ++i) lane |= field(4 * step + i, 0xFFU, 8 * i);
  return lane;
}

// Negated contribution of the input's zero point to a row's sum.
std::int32_t zero_point_offset(const QuantizedRow& row, std::size_t columns) {
  std::int32_t sum = 0;
  for (std::size_t column = 0; column < columns; ++column) sum += row.at(column);
  return -kUint8ZeroPoint * sum;
}

std::size_t columns_per_step(WeightType type) {
  return type == WeightType::f32 ? 1 : type == WeightType::bf16 ? 2 : 4;
}

}  // namespace

PackedMatrix pack_matrix(std::span<const PackRow> rows, std::size_t columns, WeightType type,
                         std::size_t lanes, std::size_t unit, std::size_t max_vectors) {
  PackedMatrix packed;
  packed.type = type;
  packed.lanes = lanes;
  packed.rows = round_up(rows.size(), lanes);
  packed.columns = columns;
  packed.steps = (columns + columns_per_step(type) - 1) / columns_per_step(type);
  const bool quantized = type != WeightType::f32;
  packed.groups = balanced_groups(packed.rows / lanes, unit, packed.steps,
                                  max_vectors == 0 ? max_accumulators(type) : max_vectors);
  packed.weights = Buffer<std::byte>(packed.rows * packed.steps * sizeof(std::uint32_t));
  if (quantized) packed.scales = Buffer<float>(packed.rows);
  if (type == WeightType::int8) packed.offsets = Buffer<std::int32_t>(packed.rows);
  const float input_scale = type == WeightType::int8 ? kUint8StateScale : kInt16StateScale;
  for (const PackGroup& group : packed.groups) {
    for (std::size_t output = 0; output < group.vectors * lanes; ++output) {
      const std::size_t index = group.first * lanes + output;
      if (index >= rows.size() || rows[index].values == nullptr) continue;
      const QuantizedRow row(rows[index], quantized ? columns : 0, type);
      for (std::size_t step = 0; step < packed.steps; ++step) {
        const std::uint32_t lane =
            quantized ? quantized_lane(row, step, type) : float_lane(rows[index], step);
        const std::size_t position = (group.offset + step * group.vectors) * lanes + output;
        std::memcpy(packed.weights.data() + position * sizeof lane, &lane, sizeof lane);
      }
      if (quantized) packed.scales[index] = row.step_size() * rows[index].scale / input_scale;
      if (type == WeightType::int8) packed.offsets[index] = zero_point_offset(row, columns);
    }
  }
  return packed;
}

}  // namespace skim
