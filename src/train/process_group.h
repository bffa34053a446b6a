// Data-parallel training: processes that train one model together, on one machine or on several.
// Includes no torch.
//
// Losses are divided by the size of the whole batch and gradients are summed over processes, so all
// processes take the same step with the same weights: that of a single process with the whole
// batch, except for the order in which floats are added.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "skim/result.h"
#include "train/rendezvous.h"

namespace skim::train {

// Thrown by collective calls when another process is gone or does not answer.
class PeerLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The collective operations. This base class is a group of one process.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  // Replaces values by their sums over all processes.
  virtual void all_reduce(std::vector<float>& /*values*/) {}
  virtual void all_reduce(std::vector<double>& /*values*/) {}
  // Replaces `bytes` by those of the process of rank 0.
  virtual void broadcast(std::vector<std::byte>& /*bytes*/) {}
};

// Waits for all processes. `patience` is how long a process may be silent, now and later, before it
// counts as lost.
Result<std::unique_ptr<ProcessGroup>> join(const Rendezvous& rendezvous, const Patience& patience);

}  // namespace skim::train
