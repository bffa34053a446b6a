// Reading a packed batch, in training: every level's cell on every row, mixed
// (kernels/training/soft_step.h has the mathematics). Two ways that agree: the fused operation that
// trains, and plain tensor operations that teach it.
#pragma once

#include "kernels/training/soft_step.h"
#include "train/ops/steps.h"
#include "train/torch.h"

namespace skim::train {

// Weights of all levels and the decision on top of each other, N rows: the big cell's gates, each
// small cell's, the logits. Columns of `u` that a small cell does not see are zero.
struct Stacked {
  torch::Tensor w;               // [N, input]
  torch::Tensor u;               // [N, d]
  torch::Tensor b;               // [N]
  torch::Tensor inner_bias;      // GRU: [sum of units]
  torch::Tensor decision_cell;   // linear_cell: [k, d]
  torch::Tensor decision_scale;  // dot: [k]
};

struct Choice {
  Mix mix = Mix::soft;
  double temperature = 1;
  double threshold = 0.5;
  torch::Tensor noise = {};  // [rows, k], may be undefined
  int threads = 1;           // of the reading; it is the same for any number
};

struct RecurrentOutput {
  torch::Tensor hidden;  // [rows, d]
  torch::Tensor log_p;   // [rows, k]; undefined for a plain reader
  torch::Tensor taken;   // [rows, k]: the share each level had; no gradient
};

SoftShape shape_of(const ReaderSpec& spec);

// One product over all rows for the inputs, one a step for the state, pointwise kernels between,
// and the weights' gradients as large products after the loop. The gates' memory is reused for
// their gradients: one backward pass only.
RecurrentOutput read_fused(const SoftShape& shape, const Steps& steps, const torch::Tensor& rows,
                           const Stacked& weights, const Choice& choice);

RecurrentOutput read_reference(const SoftShape& shape, const Steps& steps,
                               const torch::Tensor& rows, const Stacked& weights,
                               const Choice& choice);

}  // namespace skim::train
