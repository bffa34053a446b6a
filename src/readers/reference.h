// Scalar reference of all readers in double precision, straight from the papers' equations, for the
// tests.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/rows.h"
#include "readers/reader.h"

namespace skim {

// State of a reference reader.
struct ReferenceState {
  std::vector<double> hidden, cell;
  // As in SkipState.
  long tokens_to_read = 0, tokens_to_skip = 0, jumps_taken = 0;
  double update_prob = 1, delta = 0;
  // The smallest distance of all decisions from one with another result, in probabilities (jumps:
  // in logits). Other arithmetic may decide differently where it is tiny.
  double margin = std::numeric_limits<double>::infinity();
};

// Reads the rows, continuing from `state` (zeros when empty), with Policy::Rule::threshold.
void reference_read(const ReaderSpec& spec, const Tensors& tensors, Rows in, float threshold,
                    ReferenceState& state, std::vector<std::vector<double>>& out,
                    std::vector<Step>& steps);

}  // namespace skim
