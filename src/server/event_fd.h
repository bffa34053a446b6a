// A Linux eventfd: a descriptor that one thread signals and another one polls.
#pragma once

#include "base/file_descriptor.h"

namespace skim::server {

// Non-blocking. Any thread may signal or clear it.
class EventFd {
 public:
  EventFd();
  explicit operator bool() const { return static_cast<bool>(descriptor_); }
  int number() const { return descriptor_.number(); }
  // Makes the descriptor readable.
  void signal() const;
  // Makes it unreadable until the next signal.
  void clear() const;

 private:
  FileDescriptor descriptor_;
};

}  // namespace skim::server
