// A reader's weights, packed for the machine it runs on.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/pack.h"
#include "kernels/sequence.h"
#include "readers/reader.h"

namespace skim {

// A matrix over the input with its bias, ready for project().
struct Projection {
  PackedMatrix matrix;
  Buffer<float> bias;  // matrix.rows floats

  std::size_t floats() const { return matrix.rows; }
};

struct SmallWeights {
  CellPack cell;
  PackedMatrix tail;       // small_sees all
  std::size_t offset = 0;  // of its gates in a row of ReaderWeights::small_input
};

// Everything below the sequence loop that does not change. Gates are folded (kernels/fold.h)
// throughout.
struct ReaderWeights {
  ReaderSpec spec;
  std::size_t lanes = 0;
  std::size_t padded = 0;  // hidden, rounded up to whole vectors
  CellPack big;
  Projection big_input;             // gate after gate, `padded` outputs each
  std::vector<SmallWeights> small;  // one a small cell; those of width 0 stay empty
  Projection small_input;           // levels - 1 decision values, then each small cell's gates
  Projection decision_input;        // the decision values alone
  DecisionPack decision;

  // Whether small cells have gates that need not be computed for rows that are read.
  bool has_small_gates() const { return small_input.floats() > decision_input.floats(); }
  bool skims() const { return spec.kind == ReaderKind::skim; }
};

ReaderWeights pack_reader(const ReaderSpec& spec, const Tensors& tensors, WeightType type);

}  // namespace skim
