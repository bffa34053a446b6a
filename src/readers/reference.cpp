#include "readers/reference.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string>

#include "spec/params.h"

namespace skim {
namespace {

using Values = std::vector<double>;

std::span<const float> find(const Tensors& tensors, const std::string& name) {
  for (const Tensor& tensor : tensors) {
    if (tensor.name == name) return tensor.values;
  }
  return {};
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Row `row` of a matrix times as many entries of `vector` as it has columns.
double times(std::span<const float> matrix, std::size_t columns, std::size_t row,
             const Values& vector) {
  const std::span<const float> weights = matrix.subspan(row * columns, columns);
  assert(columns <= vector.size());
  return std::inner_product(weights.begin(), weights.end(), vector.begin(), 0.0);
}

// The first `units` entries of hidden and cell after one step of a cell whose u sees `sees` entries
// of hidden.
void apply_cell(Cell kind, const Tensors& tensors, const std::string& prefix, std::size_t units,
                std::size_t sees, const Values& x, Values& hidden, Values& cell) {
  const auto w = find(tensors, prefix + "w"), u = find(tensors, prefix + "u"),
             b = find(tensors, prefix + "b");
  const auto bn = find(tensors, prefix + "bn");
  const Values old = hidden;
  for (std::size_t i = 0; i < units; ++i) {
    const auto input = [&](std::size_t gate) {
      return times(w, x.size(), gate * units + i, x) + static_cast<double>(b[gate * units + i]);
    };
    const auto state = [&](std::size_t gate) { return times(u, sees, gate * units + i, old); };
    if (kind == Cell::rnn) hidden[i] = std::tanh(input(0) + state(0));
    if (kind == Cell::lstm) {
      cell[i] = sigmoid(input(1) + state(1)) * cell[i] +
                sigmoid(input(0) + state(0)) * std::tanh(input(2) + state(2));
      hidden[i] = sigmoid(input(3) + state(3)) * std::tanh(cell[i]);
    }
    if (kind == Cell::gru) {
      const double r = sigmoid(input(0) + state(0)), z = sigmoid(input(1) + state(1));
      hidden[i] =
          (1 - z) * std::tanh(input(2) + r * (state(2) + static_cast<double>(bn[i]))) + z * old[i];
    }
  }
}

Values probabilities(const ReaderSpec& spec, const Tensors& tensors, const Values& x,
                     const ReferenceState& state) {
  const auto levels = static_cast<std::size_t>(spec.levels());
  Values p(levels);
  double product = 0;
  for (std::size_t j = 0; j < std::min(x.size(), state.hidden.size()); ++j)
    product += x[j] * state.hidden[j];
  for (std::size_t l = 0; l < levels; ++l) {
    p[l] = static_cast<double>(find(tensors, "decision.b")[l]);
    if (spec.decision == Decision::dot) {
      p[l] += static_cast<double>(find(tensors, "decision.scale")[l]) * product;
      continue;
    }
    p[l] += times(find(tensors, "decision.w"), x.size(), l, x);
    p[l] += times(find(tensors, "decision.u"), state.hidden.size(), l, state.hidden);
    if (spec.decision == Decision::linear_cell)
      p[l] += times(find(tensors, "decision.c"), state.cell.size(), l, state.cell);
  }
  double total = 0;
  for (double& value : p) total += value = std::exp(value);
  for (double& value : p) value /= total;
  return p;
}

int choose(const Values& p, double read_above) {
  double sum = 0;
  for (std::size_t l = 0; l + 1 < p.size(); ++l) {
    if ((sum += p[l]) > read_above) return static_cast<int>(l);
  }
  return static_cast<int>(p.size()) - 1;
}

}  // namespace

void reference_read(const ReaderSpec& spec, const Tensors& tensors, Rows in, float read_above,
                    ReferenceState& state, std::vector<std::vector<double>>& out,
                    std::vector<Step>& steps) {
  const auto hidden = static_cast<std::size_t>(spec.hidden);
  state.hidden.resize(hidden);
  state.cell.resize(hidden);
  for (std::size_t t = 0; t < in.count; ++t) {
    const Values x(in.row(t), in.row(t) + in.width);
    int level = 0;
    double p_read = 1;
    if (spec.kind == ReaderKind::skim) {
      const Values p = probabilities(spec, tensors, x, state);
      level = choose(p, static_cast<double>(read_above));
      p_read = p[0];
    }
    const auto width = static_cast<std::size_t>(spec.width(level));
    const bool all = level == 0 || spec.small_sees == SmallSees::all;
    const std::string prefix = level == 0 ? "big." : "small." + std::to_string(level) + ".";
    if (width != 0)
      apply_cell(spec.cell, tensors, prefix, width, all ? hidden : width, x, state.hidden,
                 state.cell);
    out.push_back(state.hidden);
    steps.push_back({static_cast<std::uint16_t>(width), static_cast<float>(p_read)});
  }
}

}  // namespace skim
