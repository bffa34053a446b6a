// One step of training: every level's cell runs on every row of a batch, and the new state is their
// mixture. The pointwise part only; the products with the weights are the caller's (src/train/ops).
//
// For a row with the state (h, c), the sums a of its gates over input and state, and the logits z
// of its k levels:
//   log p = log_softmax(z)
//   y = softmax((log p + noise) / temperature)        the soft choice
//   r = y, or one level alone; see Mix
//   (h_l, c_l) = cell_l(a_l, h, c) in its first s_l units, (h, c) in all others
//   h' = sum_l r_l h_l,  c' = sum_l r_l c_l
// The backward pass, with D for the gradient of the loss:
//   Dr_l = <Dh', h_l> + <Dc', c_l>
//   D(log p) = y * (Dr - <y, Dr>) / temperature + what came from outside     (no first term for
//              sample and threshold: those choices have no gradient)
//   Dz = D(log p) - p * sum(D(log p))
//   Dh_l = r_l Dh', Dc_l = r_l Dc' through the cell's gates to Da_l, and to (h, c) where the level
//   copies them.
#pragma once

#include <cstddef>

#include "skim/spec.h"

namespace skim {

enum class Mix {
  soft,              // r = y
  straight_through,  // r = the likeliest level of y alone; gradients as if r were y
  sample,            // the same choice, which is a draw from p; no gradient through it
  threshold,         // the first level at which the summed p exceeds the threshold, as readers do
};

inline constexpr std::size_t kMaxSoftLevels = 8;

struct SoftLevel {
  std::size_t units = 0;  // of the state that it writes
  std::size_t gates = 0;  // where its gates begin in a row of gates, G * units of them
  std::size_t inner = 0;  // where its units begin in a row of `inner`
};

struct SoftShape {
  Cell cell = Cell::lstm;
  std::size_t hidden = 0;
  std::size_t levels = 1;  // 1 is a plain reader: no decision
  SoftLevel level[kMaxSoftLevels];
  std::size_t logits = 0;       // where the k logits stand in a row of gates
  std::size_t gate_stride = 0;  // of a row of gates
  std::size_t inner_stride = 0;

  // Units of all levels together.
  std::size_t all_units() const { return level[levels - 1].inner + level[levels - 1].units; }
};

// Rows of one step, each array row after row. T is float, or double for checks.
template <class T>
struct SoftStep {
  const SoftShape* shape = nullptr;
  Mix mix = Mix::soft;
  T temperature = 1;
  T threshold = 0.5;

  T* gates = nullptr;  // in: sums over input and state; out: the gates
  // GRU: the state's part, which `gates` then lacks, and the bias inside the reset gate's product
  // ([inner_stride], one for all rows).
  const T* state_gates = nullptr;
  const T* inner_bias = nullptr;
  T* inner = nullptr;  // kept for backward: LSTM tanh(c_l), GRU what the reset gate is applied to
  const T* hidden_before = nullptr;
  const T* cell_before = nullptr;  // LSTM
  T* hidden = nullptr;
  T* cell = nullptr;
  const T* noise = nullptr;  // [k] a row; null for none
  T* log_p = nullptr;        // [k] a row, and the two below
  T* soft = nullptr;
  T* taken = nullptr;
};

template <class T>
struct SoftGradients {
  const T* hidden = nullptr;   // of h', from everywhere
  const T* cell = nullptr;     // LSTM
  const T* log_p = nullptr;    // from outside; null for none
  T* hidden_before = nullptr;  // written: what does not go through the state's product
  T* cell_before = nullptr;
  T* state_gates = nullptr;  // GRU: gradients of the state's part, where they differ from gates'
};

// Rows `first` to `last` - 1.
void soft_forward(const SoftStep<float>& step, std::size_t first, std::size_t last) noexcept;
void soft_forward(const SoftStep<double>& step, std::size_t first, std::size_t last) noexcept;

// After soft_forward: gates become their gradients, before their activation.
void soft_backward(const SoftStep<float>& step, const SoftGradients<float>& gradients,
                   std::size_t first, std::size_t last) noexcept;
void soft_backward(const SoftStep<double>& step, const SoftGradients<double>& gradients,
                   std::size_t first, std::size_t last) noexcept;

}  // namespace skim
