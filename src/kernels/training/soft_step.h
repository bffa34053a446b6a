// One Gumbel-softmax training step of a skim cell: the cell of every level runs on every row of the
// batch, and the new state is their mixture. The elementwise part only; the caller computes the
// matrix products (src/train/ops).
//
// For a row with the state (h, c), the pre-activations a of its gates, and the logits z of its k
// levels:
//   log p = log_softmax(z)
//   y = softmax((log p + noise) / temperature)        Gumbel-softmax sample when noise is Gumbel
//   noise r = y, or one-hot; see Mix (h_l, c_l) = cell_l(a_l, h, c) in its first s_l units, (h, c)
//   in all others h' = sum_l r_l h_l,  c' = sum_l r_l c_l
// Backward pass, with D for the gradient of the loss:
//   Dr_l = <Dh', h_l> + <Dc', c_l>
//   D(log p) = y * (Dr - <y, Dr>) / temperature + the gradient from outside     (no first term for
//              sample and threshold, which are not differentiable)
//   Dz = D(log p) - p * sum(D(log p))
//   Dh_l = r_l Dh', Dc_l = r_l Dc' through the cell's gates to Da_l, and to (h, c) in the units
//   that the level copies.
#pragma once

#include <cstddef>

#include "skim/spec.h"

namespace skim {

// How the mixture weights r of the levels follow from the soft choice y.
enum class Mix {
  soft,              // r = y
  straight_through,  // r = one-hot argmax of y; gradients as if r were y (straight-through
                     // estimator)
  sample,            // r = one-hot argmax of y, a sample from p; no gradient through it
  threshold,  // r = the first level whose cumulative p exceeds the threshold, as at inference time
};

inline constexpr std::size_t kMaxSoftLevels = 8;

// One level (cell) of the step.
struct SoftLevel {
  std::size_t units = 0;  // hidden units that the level updates
  std::size_t gates = 0;  // offset of its G * units gates in a row of gates
  std::size_t inner = 0;  // offset of its units in a row of `inner`
};

// Sizes and offsets of a step's rows.
struct SoftShape {
  Cell cell = Cell::lstm;
  std::size_t hidden = 0;
  std::size_t levels = 1;  // 1 is the dense reader: no decision
  SoftLevel level[kMaxSoftLevels];
  std::size_t logits = 0;       // offset of the k logits in a row of gates
  std::size_t gate_stride = 0;  // of a row of gates
  std::size_t inner_stride = 0;

  // Total number of units of all levels.
  std::size_t all_units() const { return level[levels - 1].inner + level[levels - 1].units; }
};

// Arrays of one step, row-major over the batch. T is float, or double for gradient checks.
template <class T>
struct SoftStep {
  const SoftShape* shape = nullptr;
  Mix mix = Mix::soft;
  T temperature = 1;
  T threshold = 0.5;

  T* gates = nullptr;  // in: pre-activations over input and state; out: the activated gates
  // GRU: the state part, which `gates` then lacks, and bias_hn ([inner_stride], shared by all
  // rows).
  const T* state_gates = nullptr;
  const T* inner_bias = nullptr;
  T* inner = nullptr;  // saved for backward: LSTM tanh(c_l), GRU the operand of the reset gate
  const T* hidden_before = nullptr;
  const T* cell_before = nullptr;  // LSTM
  T* hidden = nullptr;
  T* cell = nullptr;
  const T* noise = nullptr;  // [k] per row; null for none
  T* log_p = nullptr;        // [k] per row, like the two below
  T* soft = nullptr;         // y
  T* taken = nullptr;        // r
};

// Gradients of one step.
template <class T>
struct SoftGradients {
  const T* hidden = nullptr;   // of h', complete
  const T* cell = nullptr;     // LSTM
  const T* log_p = nullptr;    // from outside; null for none
  T* hidden_before = nullptr;  // written: without the part through the recurrent product
  T* cell_before = nullptr;
  T* state_gates = nullptr;  // GRU: gradients of the state part, which differ from those of `gates`
};

// Forward pass of the rows `first` to `last` - 1.
void soft_forward(const SoftStep<float>& step, std::size_t first, std::size_t last) noexcept;
void soft_forward(const SoftStep<double>& step, std::size_t first, std::size_t last) noexcept;

// Backward pass after soft_forward: overwrites `gates` with the gradients of their pre-activations.
void soft_backward(const SoftStep<float>& step, const SoftGradients<float>& gradients,
                   std::size_t first, std::size_t last) noexcept;
void soft_backward(const SoftStep<double>& step, const SoftGradients<double>& gradients,
                   std::size_t first, std::size_t last) noexcept;

}  // namespace skim
