// Processes that train one model together.
#pragma once

#include <memory>
#include <vector>

#include "skim/result.h"

namespace skim::train {

// One process alone. Training divides by what all processes hold together and asks for sums only,
// so that others can take its place.
class Group {
 public:
  virtual ~Group() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  // Sums over all processes, in every one of them. Throws when a process is lost.
  virtual void sum(std::vector<float>& /*values*/) {}
};

}  // namespace skim::train
