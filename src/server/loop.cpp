// The watchman.
#include "server/loop.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace skim::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{100};              // how exactly deadlines are kept
constexpr milliseconds kCloseTick{2};           // how long a socket waits when all workers read
constexpr milliseconds kIdleWhenStopping{500};  // for a request that is on its way
constexpr milliseconds kOutOfFiles{10};
constexpr int kMostRounds = 64;  // of events, before clients are let in again

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
      workers_({running_.threads, limits_.queue}, poller_, running_.site.models, running_.metrics,
               {[this](Connection& connection, Desk& desk) { respond(connection, &desk); },
                [this](const Poller::Happened& happened) { look_after(happened); },
                [this] { watchman_.ring(); }}) {}

Result<void> Loop::run() {
  if (!poller_ || !watchman_) return fail(Fault::io, "the system gives no epoll descriptor");
  workers_.start();
  while (!stopping_ || !is_empty()) keep_watch();
  return {};
}

void Loop::keep_watch() {
  const bool accepting = Clock::now() >= next_accept_;
  std::array<pollfd, 3> calls = {pollfd{watchman_.number(), POLLIN, 0},
                                 pollfd{accepting ? running_.listener.number() : -1, POLLIN, 0},
                                 pollfd{stopping_ ? -1 : running_.stop, POLLIN, 0}};
  if (::poll(calls.data(), calls.size(), patience()) > 0) {
    const auto& [bell, listener, stop] = calls;
    if (bell.revents != 0) {
      watchman_.silence();
      closely_until_ = Clock::now() + kTick;
    }
    if (listener.revents != 0) accept_all();
    if (stop.revents != 0) begin_stop();
  }
  stand_in();
  look_at_clock();
}

// In milliseconds, -1 without end.
int Loop::patience() {
  if (closely_) return kCloseTick.count();
  if (Clock::now() < next_accept_) return kOutOfFiles.count();
  return is_empty() ? -1 : static_cast<int>(kTick.count());
}

// Workers that read cannot look after sockets. As long as they all do now and then, looking is
// cheaper than being told each time.
void Loop::stand_in() {
  const Clock::time_point now = Clock::now();
  if (workers_.all_busy()) closely_until_ = now + kTick;
  closely_ = now < closely_until_ || workers_.tell_when_all_busy();
  if (!closely_) return;
  for (int i = 0; i < kMostRounds; ++i) {
    const Poller::Happened happened = poller_.wait(0);
    look_after(happened);
    if (happened.count < happened.ids.size()) break;
  }
  workers_.rouse();
}

void Loop::begin_stop() {
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
        next_accept_ = Clock::now() + kOutOfFiles;
      }
      return;
    }
    send_at_once(socket.number());
    admit(std::move(socket), peer_name(address, size));
  }
}

void Loop::admit(Descriptor socket, std::string peer) {
  const std::uint64_t id = next_id_++;
  auto connection = std::make_shared<Connection>(std::move(socket), id, std::move(peer), limits_);
  connection->deadline = Clock::now() + limits_.read_time;
  const Place place = enter(connection);
  if (place == Place::none || place == Place::beyond) {
    running_.metrics.connections_refused.fetch_add(1, std::memory_order_relaxed);
  }
  if (place == Place::none) return;
  const std::uint32_t events = place == Place::beyond ? 0U : EPOLLIN;
  if (!poller_.add(connection->socket.number(), id, events)) return drop(id);
  running_.metrics.connections_accepted.fetch_add(1, std::memory_order_relaxed);
  if (place == Place::beyond) turn_away(*connection);
}

Loop::Place Loop::enter(const Shared& connection) {
  const std::lock_guard lock(mutex_);
  const bool full = connections_.size() - turned_away_ >= limits_.connections;
  if (full && turned_away_ >= most_refused_) return Place::none;
  if (full) {
    ++turned_away_;
    connection->turned_away = true;
    connection->phase = Phase::taken;
  }
  connections_.emplace(connection->id, connection);
  running_.metrics.connections.store(connections_.size(), std::memory_order_relaxed);
  return full ? Place::beyond : Place::within;
}

void Loop::turn_away(Connection& connection) {
  connection.arrived = Clock::now();
  respond(connection, {503, "too many connections; try again later"});
}

void Loop::look_at_clock() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kTick;
  for (const Taken& taken : take_overdue(now)) {
    Connection& connection = *taken.connection;
    const bool half = taken.phase == Phase::reading && connection.started;
    if (!half) {
      drop(connection.id);
      continue;
    }
    connection.refused = true;
    connection.arrived = now;
    respond(connection, {408, "the request did not arrive in time"});
  }
}

std::vector<Loop::Taken> Loop::take_overdue(Clock::time_point now) {
  std::vector<Taken> overdue;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, connection] : connections_) {
    const Phase phase = connection->phase.load(std::memory_order_acquire);
    if (!is_overdue(*connection, phase, now)) continue;
    connection->phase.store(Phase::taken, std::memory_order_relaxed);
    overdue.push_back({connection, phase});
  }
  return overdue;
}

bool Loop::is_overdue(const Connection& connection, Phase phase, Clock::time_point now) const {
  if (phase == Phase::taken) return false;
  const bool idle = phase == Phase::reading && !connection.started;
  return now >=
         (idle && stopping_ ? std::min(connection.deadline, idle_end_) : connection.deadline);
}

}  // namespace skim::server
