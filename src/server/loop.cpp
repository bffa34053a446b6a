#include "server/loop.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

namespace skim::server {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kListener = 0, kStop = 1, kFirstConnection = 2;
constexpr std::size_t kReceived = std::size_t{64} << 10U;
constexpr milliseconds kTick{100};              // how exactly deadlines are kept
constexpr milliseconds kIdleWhenStopping{500};  // for a request that is on its way
constexpr milliseconds kOutOfFiles{10};
constexpr std::size_t kMostDiscarded = std::size_t{256} << 20U;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string peer_name(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  const auto* plain = reinterpret_cast<const sockaddr*>(&address);
  const int failed = ::getnameinfo(plain, size, host.data(), host.size(), nullptr, 0,
                                   NI_NUMERICHOST | NI_NUMERICSERV);
  return failed == 0 ? host.data() : "";
}

// Answers are written whole; waiting to fill packets would only delay them.
void send_at_once(int socket) {
  const int yes = 1;
  static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
}

}  // namespace

Loop::Loop(Running running, std::size_t most_refused)
    : running_(std::move(running)),
      limits_(running_.site.limits),
      most_refused_(most_refused),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      scratch_(kReceived, '\0'),
      next_id_(kFirstConnection),
      workers_({running_.threads, limits_.queue}, running_.site.models, running_.metrics,
               [this](Connection& connection, Desk& desk) { respond(connection, &desk); }) {}

Result<void> Loop::run() {
  if (!epoll_) return fail(Fault::io, "the system gives no epoll descriptor");
  watch(running_.listener.number(), kListener);
  watch(running_.stop, kStop);
  next_look_ = Clock::now() + kTick;
  std::array<epoll_event, 256> events{};
  while (!stopping_ || !connections_.empty()) {
    const int wait = connections_.empty() ? -1 : static_cast<int>(kTick.count());
    const int count = ::epoll_wait(epoll_.number(), events.data(), events.size(), wait);
    if (count < 0 && errno != EINTR) return fail(Fault::io, "waiting for connections failed");
    for (int i = 0; i < count; ++i) {
      dispatch(events.at(static_cast<std::size_t>(i)).data.u64);
    }
    look_at_clock();
  }
  return {};
}

void Loop::watch(int descriptor, std::uint64_t id) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = id;
  static_cast<void>(::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event));
}

void Loop::dispatch(std::uint64_t id) {
  if (id == kStop) {
    begin_stop();
  } else if (id == kListener) {
    accept_all();
  } else if (const auto found = connections_.find(id); found != connections_.end()) {
    handle(Shared(found->second));
  }
}

void Loop::begin_stop() {
  static_cast<void>(::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, running_.stop, nullptr));
  // Whoever is connected as far as the system is concerned is let in.
  accept_all();
  stopping_ = true;
  idle_end_ = Clock::now() + kIdleWhenStopping;
  running_.listener = Descriptor();
}

void Loop::accept_all() {
  while (running_.listener) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    Descriptor socket(::accept4(running_.listener.number(), reinterpret_cast<sockaddr*>(&address),
                                &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      // Out of files or memory: the listener would call again at once, and all day.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        std::this_thread::sleep_for(kOutOfFiles);
      }
      return;
    }
    send_at_once(socket.number());
    admit(std::move(socket), peer_name(address, size));
  }
}

void Loop::admit(Descriptor socket, std::string peer) {
  const bool full = connections_.size() - turned_away_ >= limits_.connections;
  if (full && turned_away_ >= most_refused_) {
    running_.metrics.connections_refused.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::uint64_t id = next_id_++;
  auto connection = std::make_shared<Connection>(std::move(socket), id, std::move(peer), limits_);
  connection->deadline = Clock::now() + limits_.read_time;
  epoll_event event{};
  event.events = (full ? 0U : EPOLLIN) | EPOLLONESHOT;
  event.data.u64 = id;
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, connection->socket.number(), &event) != 0) return;
  connections_.emplace(id, connection);
  running_.metrics.connections_accepted.fetch_add(1, std::memory_order_relaxed);
  if (full) turn_away(*connection);
  running_.metrics.connections.store(connections_.size(), std::memory_order_relaxed);
}

void Loop::turn_away(Connection& connection) {
  ++turned_away_;
  connection.turned_away = true;
  running_.metrics.connections_refused.fetch_add(1, std::memory_order_relaxed);
  connection.arrived = Clock::now();
  respond(connection, {503, "too many connections; try again later"});
}

void Loop::drop(std::uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  // A worker may still hold the connection for a moment, and with it the open file.
  static_cast<void>(
      ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, found->second->socket.number(), nullptr));
  if (found->second->turned_away) --turned_away_;
  connections_.erase(found);
  running_.metrics.connections.store(connections_.size(), std::memory_order_relaxed);
}

void Loop::handle(const Shared& connection) {
  switch (connection->phase.load(std::memory_order_acquire)) {
    case Phase::reading:
      return read_on(connection);
    case Phase::writing:
      return send(*connection);
    case Phase::lingering: {
      const Received received = discard_some(*connection, scratch_);
      const bool gone = received == Received::ended || received == Received::broken;
      if (gone || connection->discarded > kMostDiscarded) return drop(connection->id);
      return await(*connection, Phase::lingering, EPOLLIN);
    }
    case Phase::closing:
      return drop(connection->id);
    case Phase::working:
      return;  // cannot be: nothing is awaited then
  }
}

void Loop::read_on(const Shared& connection) {
  const bool began = connection->started;
  const Received received = receive_some(*connection, scratch_);
  if (received == Received::broken) return drop(connection->id);
  if (!began && connection->started) connection->deadline = Clock::now() + limits_.read_time;
  switch (connection->parser.advance(connection->in)) {
    case RequestParser::State::ready:
      return take_request(connection);
    case RequestParser::State::refused:
      connection->refused = true;
      connection->arrived = Clock::now();
      return respond(*connection, connection->parser.refusal());
    case RequestParser::State::more:
      break;
  }
  if (received == Received::ended) return drop(connection->id);
  if (connection->parser.take_continue()) {
    static_cast<void>(
        ::send(connection->socket.number(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL));
  }
  await(*connection, Phase::reading, EPOLLIN);
}

void Loop::take_request(const Shared& connection) {
  connection->arrived = Clock::now();
  connection->taken_up = connection->arrived;
  if (!needs_desk(running_.site, connection->parser.request())) {
    return respond(*connection, nullptr);
  }
  connection->phase.store(Phase::working, std::memory_order_relaxed);
  if (workers_.offer(connection)) return;
  respond(*connection, {503, "too many requests are waiting; try again later"});
}

void Loop::look_at_clock() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kTick;
  std::vector<Shared> overdue;
  for (const auto& [id, connection] : connections_) {
    if (is_overdue(*connection, now)) overdue.push_back(connection);
  }
  for (const Shared& connection : overdue) {
    const bool half = connection->phase == Phase::reading && connection->started;
    if (!half) {
      drop(connection->id);
      continue;
    }
    connection->refused = true;
    connection->arrived = now;
    respond(*connection, {408, "the request did not arrive in time"});
  }
}

bool Loop::is_overdue(const Connection& connection, Clock::time_point now) const {
  const Phase phase = connection.phase.load(std::memory_order_acquire);
  if (phase == Phase::working) return false;
  const bool idle = phase == Phase::reading && !connection.started;
  return now >=
         (idle && stopping_ ? std::min(connection.deadline, idle_end_) : connection.deadline);
}

}  // namespace skim::server
