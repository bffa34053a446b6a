// Accepts connections from the listening socket.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"

namespace skim::server {

// Used by the thread that runs the event loop.
class Acceptor {
 public:
  // Accepting pauses for this long when the process is out of descriptors or memory.
  static constexpr std::chrono::milliseconds kPause{10};

  // `listener` must be non-blocking.
  explicit Acceptor(FileDescriptor listener) : listener_(std::move(listener)) {}

  // The descriptor to poll; -1 while accepting is paused and after `close`.
  int number() const { return is_paused() ? -1 : listener_.number(); }
  bool is_paused() const { return std::chrono::steady_clock::now() < resume_at_; }

  struct Accepted {
    FileDescriptor socket;  // non-blocking
    std::string peer;       // numeric address
  };
  // The next pending connection; nothing when there is none.
  std::optional<Accepted> accept();
  // Pauses accepting.
  void pause() { resume_at_ = std::chrono::steady_clock::now() + kPause; }
  // Stops listening.
  void close() { listener_ = FileDescriptor(); }

 private:
  FileDescriptor listener_;
  std::chrono::steady_clock::time_point resume_at_;
};

}  // namespace skim::server
