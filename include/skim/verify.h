// Replays the questions stored in a model file and compares with the stored answers.
#pragma once

#include <string>
#include <vector>

#include "skim/model.h"
#include "skim/result.h"

namespace skim {

struct VerifyReport {
  int probes = 0;
  int failed = 0;
  double worst_score_error = 0;       // largest difference of a score from its stored value
  std::vector<std::string> messages;  // one a failed probe: what differs, where
  bool ok() const { return failed == 0; }
};

// Also checks the checksum of the weights, which loading does not.
Result<VerifyReport> verify(const Model& model);

}  // namespace skim
