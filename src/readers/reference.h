// The readers as the method describes them, one step after the other, in double precision and with
// no tricks: what every kernel is compared with.
#pragma once

#include <span>
#include <vector>

#include "base/rows.h"
#include "readers/reader.h"

namespace skim {

struct ReferenceState {
  std::vector<double> hidden, cell;
  // Of readers that leave words out; see Pace in reader.h.
  long reading = 0, passing = 0, jumps = 0;
  double urge = 1, growth = 0;
};

// Reads the rows in order on from `state` (made of zeros when empty). The rule is the threshold.
void reference_read(const ReaderSpec& spec, const Tensors& tensors, Rows in, float threshold,
                    ReferenceState& state, std::vector<std::vector<double>>& out,
                    std::vector<Step>& steps);

}  // namespace skim
