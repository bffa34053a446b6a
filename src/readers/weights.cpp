#include "readers/weights.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "kernels/fold.h"
#include "kernels/target.h"
#include "spec/params.h"

namespace skim {
namespace {

std::span<const float> values_of(const Tensors& tensors, const std::string& name) {
  for (const Tensor& tensor : tensors) {
    if (tensor.name == name) return tensor.values;
  }
  return {};
}

// One cell's tensors and the shape they have.
struct CellTensors {
  Cell cell;
  std::size_t units, inputs, columns;  // columns: entries of the state its u sees
  std::span<const float> w, u, b, bn;

  CellTensors(const Tensors& tensors, const std::string& prefix, const ReaderSpec& spec, int width,
              int sees)
      : cell(spec.cell),
        units(static_cast<std::size_t>(width)),
        inputs(static_cast<std::size_t>(spec.input)),
        columns(static_cast<std::size_t>(sees)),
        w(values_of(tensors, prefix + "w")),
        u(values_of(tensors, prefix + "u")),
        b(values_of(tensors, prefix + "b")),
        bn(values_of(tensors, prefix + "bn")) {}

  std::size_t row(std::size_t gate, std::size_t unit) const { return gate * units + unit; }
};

// One output of a cell: a gate of a unit, or nothing (a place that only fills up a vector).
struct Place {
  std::size_t gate = 0, unit = 0;
  bool used = true;
};
using Order = std::vector<Place>;

// Gate after gate, `stride` outputs each.
Order gate_order(std::size_t gate_count, std::size_t units, std::size_t stride) {
  Order order;
  for (std::size_t gate = 0; gate < gate_count; ++gate) {
    for (std::size_t unit = 0; unit < stride; ++unit) order.push_back({gate, unit, unit < units});
  }
  return order;
}

// Blocks of `lanes` units, the gates of a block adjacent.
Order block_order(std::size_t gate_count, std::size_t units, std::size_t lanes) {
  Order order;
  for (std::size_t first = 0; first < units; first += lanes) {
    for (std::size_t gate = 0; gate < gate_count; ++gate) {
      for (std::size_t unit = first; unit < first + lanes; ++unit)
        order.push_back({gate, unit, unit < units});
    }
  }
  return order;
}

// Whole blocks, then one vector for the units that are left over; see CellPack.
Order tail_order(std::size_t units, std::size_t left, std::size_t lanes) {
  Order order = block_order(4, units - left, lanes);
  for (std::size_t gate = 0; gate < 4; ++gate) {
    for (std::size_t i = 0; i < kMaxTailUnits; ++i)
      order.push_back({gate, units - left + i, i < left});
  }
  return order;
}

// Whole blocks, then two vectors for the units of half a block; see CellPack.
Order half_block_order(std::size_t units, std::size_t lanes) {
  const std::size_t whole = units / lanes * lanes;
  Order order = block_order(4, whole, lanes);
  for (std::size_t gate = 0; gate < 4; ++gate) {
    for (std::size_t unit = whole; unit < whole + lanes / 2; ++unit)
      order.push_back({gate, unit, unit < units});
  }
  return order;
}

bool has_half_block(Cell cell, std::size_t units, std::size_t lanes, WeightType type) {
  const std::size_t left = units % lanes;
  return cell == Cell::lstm && type == WeightType::bf16 && lanes == kTailLanes && units > lanes &&
         left > 0 && left <= lanes / 2;
}

std::size_t tail_units(const ReaderSpec& spec, std::size_t units, std::size_t lanes) {
  const bool suits = spec.cell == Cell::lstm && lanes == kTailLanes && spec.levels() == 2 &&
                     spec.decision == Decision::linear && units > lanes && units < 3 * lanes;
  const std::size_t left = units % lanes;
  return suits && left <= kMaxTailUnits ? left : 0;
}

// The orders in which a cell's matrix, its input's rows and its init have their outputs.
struct CellOrders {
  Order matrix, input, init;

  CellOrders(Cell cell, std::size_t units, std::size_t input_stride, std::size_t left,
             std::size_t lanes) {
    const std::size_t count = gates(cell);
    matrix = left != 0 ? tail_order(units, left, lanes) : block_order(count, units, lanes);
    input = left != 0 ? matrix : gate_order(count, units, input_stride);
    init = left != 0 ? matrix : gate_order(count, units, round_up(units, lanes));
  }
};

// Rows of `matrix` (which has `columns` columns, of which those from `from` on are wanted) in an
// order.
std::vector<PackRow> rows_in(const Order& order, const CellTensors& cell,
                             std::span<const float> matrix, std::size_t columns,
                             std::size_t from = 0) {
  std::vector<PackRow> rows;
  for (const Place& place : order) {
    if (!place.used)
      rows.push_back({});
    else
      rows.push_back({matrix.data() + cell.row(place.gate, place.unit) * columns + from,
                      gate_fold(cell.cell, place.gate)});
  }
  return rows;
}

// `columns`: how many entries of the state the matrix goes over.
CellPack pack_cell(const CellTensors& cell, const CellOrders& orders, std::size_t columns,
                   std::size_t left, std::size_t lanes, WeightType type) {
  CellPack pack;
  pack.units = cell.units;
  pack.tail_units = left;
  pack.blocks = left != 0 ? cell.units / lanes : (cell.units + lanes - 1) / lanes;
  pack.matrix =
      pack_matrix(rows_in(orders.matrix, cell, cell.u, cell.columns), columns, type, lanes,
                  left != 0 ? 1 : gates(cell.cell), cell_accumulators(type, gates(cell.cell)));
  pack.init = Buffer<float>(round_up(orders.init.size(), lanes));
  for (std::size_t i = 0; i < orders.init.size() && !cell.bn.empty(); ++i) {
    const Place& place = orders.init[i];
    if (place.used && place.gate == 2)
      pack.init[i] = cell.bn[place.unit] * gate_fold(cell.cell, place.gate);
  }
  return pack;
}

// Rows of a projection on their way into a pack, with their biases.
struct ProjectionRows {
  std::vector<PackRow> rows;
  std::vector<float> bias;

  void add(const CellTensors& cell, const Order& order) {
    for (const PackRow& row : rows_in(order, cell, cell.w, cell.inputs)) rows.push_back(row);
    for (const Place& place : order) {
      bias.push_back(place.used ? cell.b[cell.row(place.gate, place.unit)] *
                                      gate_fold(cell.cell, place.gate)
                                : 0.0F);
    }
  }

  Projection pack(std::size_t columns, std::size_t lanes) const {
    Projection projection;
    projection.matrix = pack_matrix(rows, columns, WeightType::f32, lanes);
    projection.bias = Buffer<float>(projection.matrix.rows);
    std::copy(bias.begin(), bias.end(), projection.bias.data());
    return projection;
  }
};

// Row `level` of a decision tensor minus the last row: only differences of logits matter.
std::vector<float> difference(std::span<const float> matrix, std::size_t levels,
                              std::size_t level) {
  const std::size_t columns = matrix.size() / levels;
  std::vector<float> row(columns);
  for (std::size_t j = 0; j < columns; ++j)
    row[j] = matrix[level * columns + j] - matrix[(levels - 1) * columns + j];
  return row;
}

void split_at_head(std::span<const float> row, std::size_t head_width, float* head, float* tail) {
  for (std::size_t j = 0; j < row.size(); ++j) (j < head_width ? head : tail)[j] = row[j];
}

DecisionPack pack_decision(const ReaderSpec& spec, const Tensors& tensors, std::size_t lanes) {
  const auto levels = static_cast<std::size_t>(spec.levels());
  const auto head_width = static_cast<std::size_t>(spec.small.front());
  DecisionPack pack;
  pack.kind = spec.decision;
  pack.rows = levels - 1;
  pack.head_width = head_width;
  pack.blocks = (static_cast<std::size_t>(spec.hidden) + lanes - 1) / lanes;
  pack.head_blocks = (head_width + lanes - 1) / lanes;
  pack.tail_from = head_width / lanes;
  pack.width = static_cast<std::size_t>(std::min(spec.input, spec.hidden));
  const std::size_t padded = pack.blocks * lanes;
  pack.scale = Buffer<float>(pack.rows);
  pack.head = Buffer<float>(pack.rows * padded);
  pack.tail = Buffer<float>(pack.rows * padded);
  pack.cell_head = Buffer<float>(pack.rows * padded);
  pack.cell_tail = Buffer<float>(pack.rows * padded);
  for (std::size_t level = 0; level < pack.rows; ++level) {
    if (spec.decision == Decision::dot) {
      pack.scale[level] = difference(values_of(tensors, "decision.scale"), levels, level)[0];
      continue;
    }
    split_at_head(difference(values_of(tensors, "decision.u"), levels, level), head_width,
                  pack.head.data() + level * padded, pack.tail.data() + level * padded);
    if (spec.decision == Decision::linear_cell) {
      split_at_head(difference(values_of(tensors, "decision.c"), levels, level), head_width,
                    pack.cell_head.data() + level * padded, pack.cell_tail.data() + level * padded);
    }
  }
  return pack;
}

void pack_small(const Tensors& tensors, ReaderWeights& weights) {
  const ReaderSpec& spec = weights.spec;
  const auto levels = static_cast<std::size_t>(spec.levels());
  const auto inputs = static_cast<std::size_t>(spec.input);
  std::vector<std::vector<float>> decisions;
  ProjectionRows rows;
  for (std::size_t level = 0; level + 1 < levels; ++level) {
    decisions.push_back(spec.decision == Decision::dot
                            ? std::vector<float>(inputs)
                            : difference(values_of(tensors, "decision.w"), levels, level));
    rows.bias.push_back(difference(values_of(tensors, "decision.b"), levels, level)[0]);
  }
  for (const auto& decision : decisions) rows.rows.push_back({decision.data(), 1.0F});
  weights.decision_input = rows.pack(inputs, weights.lanes);
  weights.small.resize(levels - 1);
  std::size_t last_units = 0;
  for (int level = 1; level < spec.levels(); ++level) {
    if (spec.width(level) == 0) continue;
    const bool all = spec.small_sees == SmallSees::all;
    const CellTensors cell(tensors, "small." + std::to_string(level) + ".", spec, spec.width(level),
                           all ? spec.hidden : spec.width(level));
    const std::size_t left = tail_units(spec, cell.units, weights.lanes);
    const CellOrders orders(spec.cell, cell.units, cell.units, left, weights.lanes);
    SmallWeights& small = weights.small[static_cast<std::size_t>(level) - 1];
    small.offset = rows.rows.size();
    rows.add(cell, orders.input);
    last_units = left != 0 ? 0 : cell.units;
    // With `all`, a small cell goes over the widest small cell's head at each step and over the
    // rest after reads only.
    const std::size_t head = all ? static_cast<std::size_t>(spec.small.front()) : cell.units;
    small.cell = pack_cell(cell, orders, head, left, weights.lanes, WeightType::f32);
    if (all) {
      small.tail = pack_matrix(rows_in(orders.init, cell, cell.u, cell.columns, head),
                               cell.columns - head, WeightType::f32, weights.lanes);
    }
  }
  // Gates are loaded in whole vectors: beyond the last unit of the last gate there must be
  // something to load.
  for (std::size_t unit = last_units; unit % weights.lanes != 0; ++unit) rows.rows.push_back({});
  weights.small_input = rows.pack(inputs, weights.lanes);
}

}  // namespace

ReaderWeights pack_reader(const ReaderSpec& spec, const Tensors& tensors, WeightType type) {
  ReaderWeights weights;
  weights.spec = spec;
  weights.lanes = vector_lanes();
  weights.padded = round_up(static_cast<std::size_t>(spec.hidden), weights.lanes);
  const CellTensors big(tensors, "big.", spec, spec.hidden, spec.hidden);
  CellOrders orders(spec.cell, big.units, weights.padded, 0, weights.lanes);
  if (has_half_block(spec.cell, big.units, weights.lanes, type))
    orders.matrix = half_block_order(big.units, weights.lanes);
  weights.big = pack_cell(big, orders, big.columns, 0, weights.lanes, type);
  ProjectionRows rows;
  rows.add(big, orders.input);
  weights.big_input = rows.pack(big.inputs, weights.lanes);
  if (weights.skims()) {
    pack_small(tensors, weights);
    weights.decision = pack_decision(spec, tensors, weights.lanes);
  }
  return weights;
}

}  // namespace skim
