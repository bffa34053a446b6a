// Non-blocking sockets of a rendezvous. No call waits longer than its deadline.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "skim/result.h"
#include "train/rendezvous.h"

namespace skim::train {

// The end of waiting: a point in time, or a stop that is requested before.
class Deadline {
 public:
  explicit Deadline(const Patience& patience);
  bool passed() const;
  bool stopped() const;
  // For poll(): milliseconds until the deadline, but few enough to notice a stop.
  int poll_milliseconds() const;
  // Sleeps for a moment before another attempt.
  void pause() const;

 private:
  std::chrono::steady_clock::time_point end_;
  const std::atomic<bool>* stop_;
};

// Listens at `port`: at `address` if that is a number of this machine, otherwise at all addresses,
// because a name may resolve differently on other machines.
Result<FileDescriptor> listen_at(const std::string& address, int port);

// The next connection; none when nobody is waiting.
std::optional<FileDescriptor> accept_from(const FileDescriptor& listener);

// Connects; none when nobody accepts the connection now. An address that does not resolve is an
// error.
Result<std::optional<FileDescriptor>> try_connect(const std::string& address, int port,
                                                  const Deadline& deadline);

// Sends all bytes; false when the connection was closed or the deadline has passed.
bool send_all(const FileDescriptor& socket, std::string_view bytes, const Deadline& deadline);

// Appends what has arrived; false when the connection was closed after that.
bool receive_available(const FileDescriptor& socket, std::string& into);
// Waits until something has arrived; false when the deadline has passed.
bool wait_readable(const FileDescriptor& socket, const Deadline& deadline);

}  // namespace skim::train
