// Waits for all sockets at once. Any thread may use it at any time, and many may wait: what happens
// to one socket is told to one of them.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/descriptor.h"

namespace skim::server {

// A descriptor that becomes readable when it is rung.
class Bell {
 public:
  Bell();
  explicit operator bool() const { return static_cast<bool>(event_); }
  int number() const { return event_.number(); }
  void ring() const;
  // No longer readable.
  void silence() const;

 private:
  Descriptor event_;
};

class Poller {
 public:
  // So many events at a time: what one thread takes on leaves less to the others.
  static constexpr std::size_t kMost = 16;
  struct Happened {
    std::array<std::uint64_t, kMost> ids;
    std::size_t count = 0;
  };
  static constexpr std::uint64_t kFirstId = 1;  // ids below are its own

  Poller();
  explicit operator bool() const { return epoll_ && bell_; }

  // `events` as epoll has them; none reports nothing but the end of the connection. What happened
  // is reported once, and then again after `await` only.
  bool add(int socket, std::uint64_t id, std::uint32_t events) const;
  // Fails harmlessly if the socket has been removed.
  void await(int socket, std::uint64_t id, std::uint32_t events) const;
  void remove(int socket) const;

  // Returns when something happened, when called, or after so many milliseconds (-1: never).
  Happened wait(int milliseconds);
  // Makes one thread return from `wait`: one that waits now, or else the next that would. Several
  // calls may come to one, so whoever returns looks whether there is work for more.
  void call();

 private:
  Descriptor epoll_;
  Bell bell_;
  std::atomic<bool> called_{false};  // and nobody has heard it yet
};

}  // namespace skim::server
