// The recurrence over a packed batch in training: the cells of all levels on every row, mixed
// (kernels/training/soft_step.h has the mathematics). Two implementations that agree: a fused
// operation, and a reference in tensor operations.
#pragma once

#include "kernels/training/soft_step.h"
#include "train/ops/packed_steps.h"
#include "train/torch.h"

namespace skim::train {

// The weights of all levels and of the decision, stacked to N rows: the gates of the big cell,
// those of each small cell, the logits. Columns of weight_hh that a small cell does not see are
// zero.
struct StackedWeights {
  torch::Tensor weight_ih;       // [N, input]
  torch::Tensor weight_hh;       // [N, d]
  torch::Tensor bias;            // [N]
  torch::Tensor bias_hn;         // GRU: [sum of units]
  torch::Tensor decision_cell;   // linear_cell: [k, d]
  torch::Tensor decision_scale;  // dot: [k]
};

// How the levels of a row are mixed.
struct MixOptions {
  Mix mix = Mix::soft;
  double temperature = 1;
  double threshold = 0.5;
  torch::Tensor noise = {};  // [rows, k], may be undefined
  int threads = 1;           // the result does not depend on it
};

struct RecurrentOutput {
  torch::Tensor hidden;  // [rows, d]
  torch::Tensor log_p;   // [rows, k]; undefined for a dense reader
  torch::Tensor taken;   // [rows, k]: the weight of each level; no gradient
};

// The layout of the stacked weights.
SoftShape make_soft_shape(const ReaderSpec& spec);

// The fused operation: one product over all rows for the inputs, one per step for the state,
// pointwise kernels between, and the gradients of the weights as large products after the loop.
// Gradients overwrite the gates, so backward can run only once.
RecurrentOutput recurrent_fused(const SoftShape& shape, const PackedSteps& steps,
                                const torch::Tensor& rows, const StackedWeights& weights,
                                const MixOptions& options);

// The same in tensor operations.
RecurrentOutput recurrent_reference(const SoftShape& shape, const PackedSteps& steps,
                                    const torch::Tensor& rows, const StackedWeights& weights,
                                    const MixOptions& options);

}  // namespace skim::train
