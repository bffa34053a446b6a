// One step of a cell in tensor operations, for the reference of the fused operation and for the
// readers that have none.
#pragma once

#include "skim/spec.h"
#include "train/torch.h"

namespace skim::train {

struct CellState {
  torch::Tensor hidden, cell;  // [texts, units]; cell is for LSTM only
};

// Runs a cell. `input` and `state` are the two terms of the gates' pre-activations, [texts, gates *
// units] each, with the bias in the first; a GRU needs them separately.
CellState run_cell(Cell cell, const torch::Tensor& input, const torch::Tensor& state,
                   const torch::Tensor& bias_hn, const CellState& before);

}  // namespace skim::train
