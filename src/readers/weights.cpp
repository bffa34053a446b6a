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

// The first `count` columns of u, in blocks of lanes units with the gates of a block adjacent.
PackedMatrix pack_blocks(const CellTensors& cell, std::size_t count, std::size_t lanes,
                         WeightType type) {
  const std::size_t gate_count = gates(cell.cell);
  std::vector<PackRow> rows;
  for (std::size_t first = 0; first < cell.units; first += lanes) {
    for (std::size_t gate = 0; gate < gate_count; ++gate) {
      for (std::size_t unit = first; unit < first + lanes; ++unit) {
        if (unit >= cell.units)
          rows.push_back({});
        else
          rows.push_back(
              {cell.u.data() + cell.row(gate, unit) * cell.columns, gate_fold(cell.cell, gate)});
      }
    }
  }
  return pack_matrix(rows, count, type, lanes, gate_count);
}

CellPack pack_cell(const CellTensors& cell, std::size_t columns, std::size_t lanes,
                   WeightType type) {
  CellPack pack;
  pack.units = cell.units;
  pack.blocks = (cell.units + lanes - 1) / lanes;
  pack.matrix = pack_blocks(cell, columns, lanes, type);
  pack.init = Buffer<float>(gates(cell.cell) * pack.init_stride());
  for (std::size_t unit = 0; unit < cell.bn.size(); ++unit) {
    pack.init[2 * pack.init_stride() + unit] = cell.bn[unit] * gate_fold(cell.cell, 2);
  }
  return pack;
}

// The columns of u from `from` on, outputs in the layout of CellPack::init.
PackedMatrix pack_tail(const CellTensors& cell, std::size_t from, const CellPack& pack,
                       std::size_t lanes) {
  std::vector<PackRow> rows;
  for (std::size_t gate = 0; gate < gates(cell.cell); ++gate) {
    for (std::size_t unit = 0; unit < pack.init_stride(); ++unit) {
      if (unit >= cell.units)
        rows.push_back({});
      else
        rows.push_back({cell.u.data() + cell.row(gate, unit) * cell.columns + from,
                        gate_fold(cell.cell, gate)});
    }
  }
  return pack_matrix(rows, cell.columns - from, WeightType::f32, lanes);
}

// Rows of a projection on their way into a pack, with their biases.
struct ProjectionRows {
  std::vector<PackRow> rows;
  std::vector<float> bias;

  void add(const CellTensors& cell, std::size_t stride) {
    for (std::size_t gate = 0; gate < gates(cell.cell); ++gate) {
      for (std::size_t unit = 0; unit < stride; ++unit) {
        if (unit >= cell.units) {
          rows.push_back({});
          bias.push_back(0);
          continue;
        }
        const float fold = gate_fold(cell.cell, gate);
        rows.push_back({cell.w.data() + cell.row(gate, unit) * cell.inputs, fold});
        bias.push_back(cell.b[cell.row(gate, unit)] * fold);
      }
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
  weights.small.resize(levels - 1);
  std::size_t last_units = 0;
  for (int level = 1; level < spec.levels(); ++level) {
    if (spec.width(level) == 0) continue;
    const bool all = spec.small_sees == SmallSees::all;
    const CellTensors cell(tensors, "small." + std::to_string(level) + ".", spec, spec.width(level),
                           all ? spec.hidden : spec.width(level));
    SmallWeights& small = weights.small[static_cast<std::size_t>(level) - 1];
    small.offset = rows.rows.size();
    rows.add(cell, cell.units);
    last_units = cell.units;
    // With `all`, a small cell goes over the widest small cell's head at each step and over the
    // rest after reads only.
    const std::size_t head = all ? static_cast<std::size_t>(spec.small.front()) : cell.units;
    small.cell = pack_cell(cell, head, weights.lanes, WeightType::f32);
    if (all) small.tail = pack_tail(cell, head, small.cell, weights.lanes);
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
  weights.big = pack_cell(big, big.columns, weights.lanes, type);
  ProjectionRows rows;
  rows.add(big, weights.padded);
  weights.big_input = rows.pack(big.inputs, weights.lanes);
  if (weights.skims()) {
    pack_small(tensors, weights);
    weights.decision = pack_decision(spec, tensors, weights.lanes);
  }
  return weights;
}

}  // namespace skim
