// Replays the probes of a model file and compares the results with the stored ones.
#pragma once

#include <string>
#include <vector>

#include "skim/model.h"
#include "skim/result.h"

namespace skim {

struct VerifyReport {
  int probes = 0;
  int failed = 0;
  double max_score_error = 0;         // largest absolute difference of a score
  std::vector<std::string> messages;  // one per failed probe: what differs, where
  bool ok() const { return failed == 0; }
};

// Also compares the checksum of the weights, which loading does not, and reads a text of the
// model's own words.
Result<VerifyReport> verify(const Model& model);

}  // namespace skim
