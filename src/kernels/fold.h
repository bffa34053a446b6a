// Scale factors folded into the gate weights, so that sigmoid and tanh become powers of two.
#pragma once

#include <cstddef>

#include "skim/spec.h"

namespace skim {

inline constexpr float kSigmoidFold = -1.44269504F;  // -log2(e)
inline constexpr float kTanhFold = -2.88539008F;     // -2 log2(e)

// Scale factor of one gate of a cell; gates are in the order of src/spec/params.h.
inline float gate_fold(Cell cell, std::size_t gate) {
  const bool tanh = cell == Cell::rnn || gate == 2;  // the LSTM's g and the GRU's n are both third
  return tanh ? kTanhFold : kSigmoidFold;
}

}  // namespace skim
