// Factors folded into weights so that gates are powers of two.
#pragma once

#include <cstddef>

#include "skim/spec.h"

namespace skim {

inline constexpr float kSigmoidFold = -1.44269504F;  // -log2(e)
inline constexpr float kTanhFold = -2.88539008F;     // -2 log2(e)

// The factor of a cell's gate, in the order of src/spec/params.h.
inline float gate_fold(Cell cell, std::size_t gate) {
  const bool tanh = cell == Cell::rnn || gate == 2;  // LSTM's g and GRU's n both stand third
  return tanh ? kTanhFold : kSigmoidFold;
}

}  // namespace skim
