// Where the processes of a group find each other, and the exchange of their addresses. Includes no
// torch.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "skim/result.h"

namespace skim::train {

struct Rendezvous {
  int rank = 0, size = 1;
  int local_size = 1;   // processes on this machine, which share its cores
  std::string address;  // of the process of rank 0
  int port = 0;
};

// Reads the variables that torchrun and other launchers set: RANK, WORLD_SIZE, MASTER_ADDR,
// MASTER_PORT, LOCAL_WORLD_SIZE. One process when WORLD_SIZE is not set.
Result<Rendezvous> rendezvous_from_environment();

// How long to wait for the other processes.
struct Patience {
  double seconds = 0;
  const std::atomic<bool>* stop = nullptr;  // ends the waiting when set; may be null

  // "; waited 300 s (--group-timeout)", the end of a message.
  std::string text() const;
};

// Sends `message` to all processes and returns those of all, by rank. The process of rank 0 listens
// at the port until all have come; the others connect to it. Rank 0 ignores connections of other
// programs. All processes fail when one does not come in time, and any process that meets another
// program instead of rank 0.
Result<std::vector<std::string>> exchange(const Rendezvous& rendezvous, const std::string& message,
                                          const Patience& patience);

}  // namespace skim::train
