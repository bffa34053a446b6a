// One step of a cell in plain tensor operations, for the teacher of the fused operation and for the
// readers that are not worth one.
#pragma once

#include "skim/spec.h"
#include "train/torch.h"

namespace skim::train {

struct CellState {
  torch::Tensor hidden, cell;  // [texts, units]; cell is for LSTM only
};

// `input` and `state` are the two parts of the gates' sums, biases in the first, [texts, gates *
// units] each; a GRU needs them apart.
CellState run_cell(Cell cell, const torch::Tensor& input, const torch::Tensor& state,
                   const torch::Tensor& inner_bias, const CellState& before);

}  // namespace skim::train
