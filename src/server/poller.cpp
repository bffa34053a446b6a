#include "server/poller.h"

#include <cassert>
#include <cerrno>

namespace skim::server {
namespace {

constexpr std::uint64_t kWakeupId = 0;

epoll_event make_event(std::uint64_t id, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return event;
}

}  // namespace

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  // Edge-triggered: every signal wakes one thread, and nobody needs to clear the eventfd.
  epoll_event event = make_event(kWakeupId, EPOLLIN | EPOLLET);
  has_wakeup_ = epoll_ && wakeup_ &&
                ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, wakeup_.number(), &event) == 0;
}

bool Poller::add(int socket, std::uint64_t id, std::uint32_t events) const {
  epoll_event event = make_event(id, events | EPOLLONESHOT);
  return ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, socket, &event) == 0;
}

bool Poller::rearm(int socket, std::uint64_t id, std::uint32_t events) const {
  epoll_event event = make_event(id, events | EPOLLONESHOT);
  return ::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, socket, &event) == 0;
}

void Poller::remove(int socket) const {
  static_cast<void>(::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, socket, nullptr));
}

Poller::Events Poller::wait(int timeout) {
  std::array<epoll_event, kMaxEvents> ready;
  const int count = ::epoll_wait(epoll_.number(), ready.data(), ready.size(), timeout);
  assert(count >= 0 || errno == EINTR);
  Events events;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count > 0 ? count : 0); ++i) {
    const std::uint64_t id = ready.at(i).data.u64;
    if (id == kWakeupId) {
      wake_pending_.exchange(false);
    } else {
      events.ids.at(events.count++) = id;
    }
  }
  return events;
}

void Poller::wake_one() {
  if (!wake_pending_.exchange(true)) wakeup_.signal();
}

}  // namespace skim::server
