// Processes that train one model together, on one machine or on many. No torch here.
//
// Training divides by what all processes hold together and asks for sums only, so every process
// takes the same steps with the same weights: that of the whole batch, but for the order in which
// floats are added up.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "skim/result.h"

namespace skim::train {

// Thrown by a group's calls when one of the others is gone or does not answer.
class GroupLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One process alone, and what a group of several must do.
class Group {
 public:
  virtual ~Group() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  // Sums over all processes, in every one of them.
  virtual void sum(std::vector<float>& /*values*/) {}
  virtual void sum(std::vector<double>& /*values*/) {}
  // What the first process has, to all.
  virtual void share(std::vector<std::byte>& /*bytes*/) {}
};

// Who meets where, in the names that torchrun and other launchers use.
struct Meeting {
  int rank = 0, size = 1;
  int here = 1;  // processes on this machine, which share its cores
  std::string address;
  int port = 0;
};

// RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, LOCAL_WORLD_SIZE; one process when there is no
// WORLD_SIZE.
Result<Meeting> meeting_from_environment();

// Waits for the others. `seconds` is how long a process may stay silent, now and later, before it
// counts as lost.
Result<std::unique_ptr<Group>> join(const Meeting& meeting, double seconds);

}  // namespace skim::train
