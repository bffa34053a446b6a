// One step of a variable-computation (VCRNN) cell: only a prefix of its units runs, on a prefix of
// input and state, that is, the upper left blocks of its matrices. Allocates nothing and cannot
// fail.
#pragma once

#include <cstddef>

#include "base/buffer.h"
#include "skim/spec.h"

namespace skim {

// Packed weights of a VCRNN cell, with folded gates (kernels/fold.h). Layout: blocks of `lanes`
// units; within a block its columns; within a column its gates.
struct PackedVcrnnCell {
  Cell cell = Cell::lstm;
  std::size_t lanes = 0;
  std::size_t units = 0, inputs = 0;
  Buffer<float> weight_ih;  // [blocks, inputs, gates, lanes]
  Buffer<float> weight_hh;  // [blocks, units, gates, lanes]
  Buffer<float> bias;       // [blocks, gates, lanes]
  Buffer<float> bias_hn;    // [blocks, lanes]; GRU only

  std::size_t blocks() const { return round_up(units, lanes) / lanes; }
};

// Arguments of one step.
struct VcrnnStep {
  const float* x = nullptr;
  std::size_t inputs = 0;   // entries of x that are used
  std::size_t units = 0;    // entries of the state that are used and updated
  float* hidden = nullptr;  // in and out; this and the following have room for whole vectors
  float* cell = nullptr;    // LSTM only
  float* next = nullptr;    // buffer for the new hidden state
};

void vcrnn_step(const PackedVcrnnCell& pack, const VcrnnStep& step) noexcept;

}  // namespace skim
