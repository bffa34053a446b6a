#include "train/ops/cell.h"

namespace skim::train {

using torch::Tensor;

CellState run_cell(Cell cell, const Tensor& input, const Tensor& state, const Tensor& bias_hn,
                   const CellState& before) {
  if (cell == Cell::rnn) return {torch::tanh(input + state), {}};
  if (cell == Cell::gru) {
    const auto x = input.chunk(3, 1), h = state.chunk(3, 1);
    const Tensor r = torch::sigmoid(x[0] + h[0]);
    const Tensor z = torch::sigmoid(x[1] + h[1]);
    const Tensor n = torch::tanh(x[2] + r * (h[2] + bias_hn));
    return {(1 - z) * n + z * before.hidden, {}};
  }
  const auto gates = (input + state).chunk(4, 1);
  const Tensor c =
      torch::sigmoid(gates[1]) * before.cell + torch::sigmoid(gates[0]) * torch::tanh(gates[2]);
  return {torch::sigmoid(gates[3]) * torch::tanh(c), c};
}

}  // namespace skim::train
