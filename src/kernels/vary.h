// One step of a cell of which only the first units run, on the first entries of input and state:
// the upper left blocks of its matrices. No allocation, no way to fail.
#pragma once

#include <cstddef>

#include "base/buffer.h"
#include "skim/spec.h"

namespace skim {

// A cell's weights for such steps, gates folded (kernels/fold.h). Units come in blocks of `lanes`;
// for each block column after column, for each column the gates one after the other.
struct VaryPack {
  Cell cell = Cell::lstm;
  std::size_t lanes = 0;
  std::size_t units = 0, inputs = 0;
  Buffer<float> w;   // blocks x inputs x gates x lanes
  Buffer<float> u;   // blocks x units x gates x lanes
  Buffer<float> b;   // blocks x gates x lanes
  Buffer<float> bn;  // blocks x lanes; GRU

  std::size_t blocks() const { return round_up(units, lanes) / lanes; }
};

struct VaryStep {
  const float* x = nullptr;
  std::size_t inputs = 0;   // entries of x to look at
  std::size_t units = 0;    // of the state to look at and to change
  float* hidden = nullptr;  // in and out; like all below with room for whole vectors
  float* cell = nullptr;    // LSTM
  float* next = nullptr;    // room for another hidden state
};

void vary_step(const VaryPack& pack, const VaryStep& step) noexcept;

}  // namespace skim
