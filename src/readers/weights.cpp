#include "readers/weights.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "kernels/fold.h"
#include "kernels/target.h"
#include "spec/params.h"

namespace skim {
namespace {

// The tensors of one cell and their sizes.
struct CellTensors {
  Cell cell;
  std::size_t units, inputs, columns;  // columns: entries of the state under weight_hh
  std::span<const float> weight_ih, weight_hh, bias, bias_hn;

  CellTensors(const Tensors& tensors, const std::string& prefix, const ReaderSpec& spec, int width,
              int state_columns)
      : cell(spec.cell),
        units(static_cast<std::size_t>(width)),
        inputs(static_cast<std::size_t>(spec.input_size)),
        columns(static_cast<std::size_t>(state_columns)),
        weight_ih(find_tensor(tensors, prefix + "weight_ih")),
        weight_hh(find_tensor(tensors, prefix + "weight_hh")),
        bias(find_tensor(tensors, prefix + "bias")),
        bias_hn(find_tensor(tensors, prefix + "bias_hn")) {}

  std::size_t row(std::size_t gate, std::size_t unit) const { return gate * units + unit; }
};

// One output of a packed cell: a gate of a unit, or unused padding of a vector.
struct GateUnit {
  std::size_t gate = 0, unit = 0;
  bool used = true;
};
using Order = std::vector<GateUnit>;

// Gate by gate, `stride` outputs each.
Order gate_order(std::size_t num_gates, std::size_t units, std::size_t stride) {
  Order order;
  for (std::size_t gate = 0; gate < num_gates; ++gate) {
    for (std::size_t unit = 0; unit < stride; ++unit) order.push_back({gate, unit, unit < units});
  }
  return order;
}

// Blocks of `lanes` units, with the gates of a block adjacent.
Order block_order(std::size_t num_gates, std::size_t units, std::size_t lanes) {
  Order order;
  for (std::size_t first = 0; first < units; first += lanes) {
    for (std::size_t gate = 0; gate < num_gates; ++gate) {
      for (std::size_t unit = first; unit < first + lanes; ++unit)
        order.push_back({gate, unit, unit < units});
    }
  }
  return order;
}

// Whole blocks, then one vector for the remainder units; see PackedCell.
Order remainder_order(std::size_t units, std::size_t remainder, std::size_t lanes) {
  Order order = block_order(4, units - remainder, lanes);
  for (std::size_t gate = 0; gate < 4; ++gate) {
    for (std::size_t i = 0; i < kMaxRemainderUnits; ++i)
      order.push_back({gate, units - remainder + i, i < remainder});
  }
  return order;
}

// Whole blocks, then two vectors for the units of half a block; see PackedCell.
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
  const std::size_t remainder = units % lanes;
  return cell == Cell::lstm && type == WeightType::bf16 && lanes == kRemainderLanes &&
         units > lanes && remainder > 0 && remainder <= lanes / 2;
}

std::size_t remainder_units(const ReaderSpec& spec, std::size_t units, std::size_t lanes) {
  const bool supported = spec.cell == Cell::lstm && lanes == kRemainderLanes &&
                         spec.levels() == 2 && spec.decision == Decision::linear && units > lanes &&
                         units < 3 * lanes;
  const std::size_t remainder = units % lanes;
  return supported && remainder <= kMaxRemainderUnits ? remainder : 0;
}

// The output orders of a cell's recurrent matrix, input projection and initial values.
struct CellOrders {
  Order matrix, input, init;

  CellOrders(Cell cell, std::size_t units, std::size_t input_stride, std::size_t remainder,
             std::size_t lanes) {
    const std::size_t count = gates(cell);
    matrix = remainder != 0 ? remainder_order(units, remainder, lanes)
                            : block_order(count, units, lanes);
    input = remainder != 0 ? matrix : gate_order(count, units, input_stride);
    init = remainder != 0 ? matrix : gate_order(count, units, round_up(units, lanes));
  }
};

// The rows of `matrix` ([rows, columns], from column `from` on) in the given order.
std::vector<PackRow> select_rows(const Order& order, const CellTensors& cell,
                                 std::span<const float> matrix, std::size_t columns,
                                 std::size_t from = 0) {
  std::vector<PackRow> rows;
  for (const GateUnit& output : order) {
    if (!output.used)
      rows.push_back({});
    else
      rows.push_back({matrix.data() + cell.row(output.gate, output.unit) * columns + from,
                      gate_fold(cell.cell, output.gate)});
  }
  return rows;
}

// Packs the recurrent weights of a cell over the first `columns` entries of the state.
PackedCell pack_cell(const CellTensors& cell, const CellOrders& orders, std::size_t columns,
                     std::size_t remainder, std::size_t lanes, WeightType type) {
  PackedCell pack;
  pack.units = cell.units;
  pack.remainder_units = remainder;
  pack.blocks = remainder != 0 ? cell.units / lanes : (cell.units + lanes - 1) / lanes;
  pack.matrix = pack_matrix(select_rows(orders.matrix, cell, cell.weight_hh, cell.columns), columns,
                            type, lanes, remainder != 0 ? 1 : gates(cell.cell),
                            cell_accumulators(type, gates(cell.cell)));
  pack.init = Buffer<float>(round_up(orders.init.size(), lanes));
  for (std::size_t i = 0; i < orders.init.size() && !cell.bias_hn.empty(); ++i) {
    const GateUnit& output = orders.init[i];
    if (output.used && output.gate == 2)
      pack.init[i] = cell.bias_hn[output.unit] * gate_fold(cell.cell, output.gate);
  }
  return pack;
}

// Collects the rows and biases of an input projection before packing.
struct ProjectionRows {
  std::vector<PackRow> rows;
  std::vector<float> bias;

  void add(const CellTensors& cell, const Order& order) {
    for (const PackRow& row : select_rows(order, cell, cell.weight_ih, cell.inputs))
      rows.push_back(row);
    for (const GateUnit& output : order) {
      bias.push_back(output.used ? cell.bias[cell.row(output.gate, output.unit)] *
                                       gate_fold(cell.cell, output.gate)
                                 : 0.0F);
    }
  }

  Projection pack(std::size_t columns) const {
    Projection projection;
    projection.matrix = pack_matrix(rows, columns, WeightType::f32, projection_lanes());
    projection.bias = Buffer<float>(projection.matrix.rows);
    std::copy(bias.begin(), bias.end(), projection.bias.data());
    return projection;
  }
};

// Row `level` of a decision tensor minus its last row: the softmax depends on differences of logits
// only.
std::vector<float> logit_difference(std::span<const float> matrix, std::size_t levels,
                                    std::size_t level) {
  const std::size_t columns = matrix.size() / levels;
  std::vector<float> row(columns);
  for (std::size_t j = 0; j < columns; ++j)
    row[j] = matrix[level * columns + j] - matrix[(levels - 1) * columns + j];
  return row;
}

void split_at_prefix(std::span<const float> row, std::size_t prefix_width, float* prefix,
                     float* suffix) {
  for (std::size_t j = 0; j < row.size(); ++j) (j < prefix_width ? prefix : suffix)[j] = row[j];
}

PackedDecision pack_decision(const ReaderSpec& spec, const Tensors& tensors, std::size_t lanes) {
  const auto levels = static_cast<std::size_t>(spec.levels());
  const auto prefix_width = static_cast<std::size_t>(spec.skim_sizes.front());
  PackedDecision pack;
  pack.kind = spec.decision;
  pack.rows = levels - 1;
  pack.prefix_width = prefix_width;
  pack.blocks = (static_cast<std::size_t>(spec.hidden_size) + lanes - 1) / lanes;
  pack.prefix_blocks = (prefix_width + lanes - 1) / lanes;
  pack.suffix_first_block = prefix_width / lanes;
  pack.width = static_cast<std::size_t>(std::min(spec.input_size, spec.hidden_size));
  const std::size_t padded = pack.blocks * lanes;
  pack.scale = Buffer<float>(pack.rows);
  pack.prefix = Buffer<float>(pack.rows * padded);
  pack.suffix = Buffer<float>(pack.rows * padded);
  pack.cell_prefix = Buffer<float>(pack.rows * padded);
  pack.cell_suffix = Buffer<float>(pack.rows * padded);
  for (std::size_t level = 0; level < pack.rows; ++level) {
    if (spec.decision == Decision::dot) {
      pack.scale[level] =
          logit_difference(find_tensor(tensors, "decision.scale"), levels, level)[0];
      continue;
    }
    split_at_prefix(logit_difference(find_tensor(tensors, "decision.weight_hh"), levels, level),
                    prefix_width, pack.prefix.data() + level * padded,
                    pack.suffix.data() + level * padded);
    if (spec.decision == Decision::linear_cell) {
      split_at_prefix(logit_difference(find_tensor(tensors, "decision.weight_ch"), levels, level),
                      prefix_width, pack.cell_prefix.data() + level * padded,
                      pack.cell_suffix.data() + level * padded);
    }
  }
  return pack;
}

void pack_small(const Tensors& tensors, ReaderWeights& weights) {
  const ReaderSpec& spec = weights.spec;
  const auto levels = static_cast<std::size_t>(spec.levels());
  const auto inputs = static_cast<std::size_t>(spec.input_size);
  std::vector<std::vector<float>> decisions;
  ProjectionRows rows;
  for (std::size_t level = 0; level + 1 < levels; ++level) {
    decisions.push_back(
        spec.decision == Decision::dot
            ? std::vector<float>(inputs)
            : logit_difference(find_tensor(tensors, "decision.weight_ih"), levels, level));
    rows.bias.push_back(logit_difference(find_tensor(tensors, "decision.bias"), levels, level)[0]);
  }
  for (const auto& decision : decisions) rows.rows.push_back({decision.data(), 1.0F});
  weights.decision_projection = rows.pack(inputs);
  weights.small.resize(levels - 1);
  std::size_t last_units = 0;
  for (int level = 1; level < spec.levels(); ++level) {
    if (spec.width(level) == 0) continue;
    const bool full = spec.small_input == SmallInput::full;
    const CellTensors cell(tensors, "small." + std::to_string(level) + ".", spec, spec.width(level),
                           full ? spec.hidden_size : spec.width(level));
    const std::size_t remainder = remainder_units(spec, cell.units, weights.lanes);
    const CellOrders orders(spec.cell, cell.units, cell.units, remainder, weights.lanes);
    SmallWeights& small = weights.small[static_cast<std::size_t>(level) - 1];
    small.offset = rows.rows.size();
    rows.add(cell, orders.input);
    last_units = remainder != 0 ? 0 : cell.units;
    // With SmallInput::full the product over the state's suffix changes at reads only, so it is
    // packed separately.
    const std::size_t prefix =
        full ? static_cast<std::size_t>(spec.skim_sizes.front()) : cell.units;
    small.cell = pack_cell(cell, orders, prefix, remainder, weights.lanes, WeightType::f32);
    if (full) {
      small.suffix =
          pack_matrix(select_rows(orders.init, cell, cell.weight_hh, cell.columns, prefix),
                      cell.columns - prefix, WeightType::f32, weights.lanes);
    }
  }
  // Gates are loaded in whole vectors, so the last gate is padded.
  for (std::size_t unit = last_units; unit % weights.lanes != 0; ++unit) rows.rows.push_back({});
  weights.small_projection = rows.pack(inputs);
}

}  // namespace

ReaderWeights pack_reader(const ReaderSpec& spec, const Tensors& tensors, WeightType type) {
  ReaderWeights weights;
  weights.spec = spec;
  weights.lanes = vector_lanes();
  weights.padded = round_up(static_cast<std::size_t>(spec.hidden_size), weights.lanes);
  const CellTensors big(tensors, "big.", spec, spec.hidden_size, spec.hidden_size);
  CellOrders orders(spec.cell, big.units, weights.padded, 0, weights.lanes);
  if (has_half_block(spec.cell, big.units, weights.lanes, type))
    orders.matrix = half_block_order(big.units, weights.lanes);
  weights.big = pack_cell(big, orders, big.columns, 0, weights.lanes, type);
  weights.big.matrix.dot = has_dot_products();
  ProjectionRows rows;
  rows.add(big, orders.input);
  weights.big_projection = rows.pack(big.inputs);
  if (weights.skims()) {
    pack_small(tensors, weights);
    weights.decision = pack_decision(spec, tensors, weights.lanes);
  }
  return weights;
}

}  // namespace skim
