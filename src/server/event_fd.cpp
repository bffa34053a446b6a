#include "server/event_fd.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace skim::server {

EventFd::EventFd() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

void EventFd::signal() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(descriptor_.number(), &one, sizeof one));
}

void EventFd::clear() const {
  std::uint64_t count = 0;
  static_cast<void>(!::read(descriptor_.number(), &count, sizeof count));
}

}  // namespace skim::server
