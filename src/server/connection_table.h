// The open connections of the server.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "server/connection.h"
#include "server/metrics.h"
#include "server/poller.h"

namespace skim::server {

// Thread-safe. Removing a connection closes its socket once no thread uses it any more.
class ConnectionTable {
 public:
  using Phase = Connection::Phase;
  // A connection that the calling thread has claimed.
  struct Claim {
    std::shared_ptr<Connection> connection;  // null: closed, or claimed by another thread
    Phase phase = Phase::claimed;            // before the claim
  };

  struct Capacity {
    std::size_t connections = 0;  // beyond: rejected with 503
    std::size_t rejected = 0;     // that many more receive the 503; beyond: closed
  };
  // Borrows poller and metrics.
  ConnectionTable(Capacity capacity, Poller& poller, Metrics& metrics)
      : capacity_(capacity), poller_(poller), metrics_(metrics) {}

  enum class Admission { accepted, rejected, closed };
  // Adds a connection unless the result is `closed`. Marks and claims a rejected one.
  Admission add(const std::shared_ptr<Connection>& connection);
  // Removes a connection. True if it was the last one.
  bool remove(std::uint64_t id);
  bool is_empty();

  Claim claim(std::uint64_t id);
  // Without a vector, so that deadlines hold when memory is exhausted.
  struct Expired {
    std::array<Claim, 64> claims;
    std::size_t count = 0;
  };
  // Claims connections whose deadline has passed; when the array is full, there may be more. The
  // deadline of idle connections is `idle_deadline` where that is earlier.
  Expired claim_expired(Clock::time_point now, Clock::time_point idle_deadline);

 private:
  Capacity capacity_;
  Poller& poller_;
  Metrics& metrics_;
  std::mutex mutex_;  // guards the members below
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
  std::size_t num_rejected_ = 0;
};

}  // namespace skim::server
