#include "server/poller.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>

namespace skim::server {
namespace {

constexpr std::uint64_t kCall = 0;

epoll_event event_of(std::uint64_t id, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return event;
}

}  // namespace

Bell::Bell() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

void Bell::ring() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_.number(), &one, sizeof one));
}

void Bell::silence() const {
  std::uint64_t rung = 0;
  static_cast<void>(!::read(event_.number(), &rung, sizeof rung));
}

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  // Every ring is an edge, told to one thread, which saves it the silencing.
  epoll_event event = event_of(kCall, EPOLLIN | EPOLLET);
  static_cast<void>(::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, bell_.number(), &event));
}

bool Poller::add(int socket, std::uint64_t id, std::uint32_t events) const {
  epoll_event event = event_of(id, events | EPOLLONESHOT);
  return ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, socket, &event) == 0;
}

void Poller::await(int socket, std::uint64_t id, std::uint32_t events) const {
  epoll_event event = event_of(id, events | EPOLLONESHOT);
  static_cast<void>(::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, socket, &event));
}

void Poller::remove(int socket) const {
  static_cast<void>(::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, socket, nullptr));
}

Poller::Happened Poller::wait(int milliseconds) {
  std::array<epoll_event, kMost> events;
  const int count = ::epoll_wait(epoll_.number(), events.data(), events.size(), milliseconds);
  assert(count >= 0 || errno == EINTR);
  Happened happened;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count > 0 ? count : 0); ++i) {
    const std::uint64_t id = events.at(i).data.u64;
    if (id == kCall) {
      called_.exchange(false);
    } else {
      happened.ids.at(happened.count++) = id;
    }
  }
  return happened;
}

void Poller::call() {
  if (!called_.exchange(true)) bell_.ring();
}

}  // namespace skim::server
