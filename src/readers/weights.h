// Weights of the dense and the skim reader, packed for the SIMD target of this machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/pack.h"
#include "kernels/sequence.h"
#include "readers/reader.h"

namespace skim {

// Input projection: a packed matrix over the input with its bias, for project().
struct Projection {
  PackedMatrix matrix;
  Buffer<float> bias;  // matrix.rows floats

  std::size_t floats() const { return matrix.rows; }
};

// Weights of one small cell.
struct SmallWeights {
  PackedCell cell;
  PackedMatrix suffix;     // recurrent weights over the state's suffix; SmallInput::full only
  std::size_t offset = 0;  // of its gates in a row of ReaderWeights::small_projection
};

// All weights that the sequence loop uses. Gates are folded (kernels/fold.h).
struct ReaderWeights {
  ReaderSpec spec;
  std::size_t lanes = 0;
  std::size_t padded = 0;  // hidden_size, rounded up to whole vectors
  PackedCell big;
  Projection big_projection;        // gate after gate, `padded` outputs each
  std::vector<SmallWeights> small;  // one per small cell; empty for width 0
  Projection small_projection;      // levels - 1 decision logits, then the gates of each small cell
  Projection decision_projection;   // the decision logits only
  PackedDecision decision;

  // Whether small_projection has gates, which rows that are read do not need.
  bool has_small_gates() const {
    return std::any_of(small.begin(), small.end(),
                       [](const SmallWeights& each) { return each.cell.units > 0; });
  }
  bool skims() const { return spec.kind == ReaderKind::skim; }
};

ReaderWeights pack_reader(const ReaderSpec& spec, const Tensors& tensors, WeightType type);

}  // namespace skim
