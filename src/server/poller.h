// Waits for events on all sockets with epoll.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/file_descriptor.h"
#include "server/event_fd.h"

namespace skim::server {

// Thread-safe. Any number of threads may wait at the same time; each event is delivered to exactly
// one of them.
class Poller {
 public:
  // Small, so that one thread does not take the events that other threads could handle.
  static constexpr std::size_t kMaxEvents = 16;
  struct Events {
    std::array<std::uint64_t, kMaxEvents> ids;
    std::size_t count = 0;
  };
  static constexpr std::uint64_t kFirstId = 1;  // smaller ids are reserved

  Poller();
  explicit operator bool() const { return has_wakeup_; }

  // Registers a socket for one event. `events` is an epoll mask; 0 reports errors and hang-ups
  // only. After an event the socket is disarmed until `rearm`.
  bool add(int socket, std::uint64_t id, std::uint32_t events) const;
  // False if the socket has been removed, or if the system is out of memory.
  bool rearm(int socket, std::uint64_t id, std::uint32_t events) const;
  void remove(int socket) const;

  // Returns on an event, on wake_one, or after a timeout in milliseconds (-1: none).
  Events wait(int timeout);
  // Makes one thread return from `wait`: one that waits now, or else the next one to call it.
  // Calls that come together may wake a single thread, which must then check whether there is work
  // for another one.
  void wake_one();

 private:
  FileDescriptor epoll_;
  EventFd wakeup_;
  bool has_wakeup_ = false;
  std::atomic<bool> wake_pending_{false};
};

}  // namespace skim::server
