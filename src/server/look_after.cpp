// What happens on the sockets. Any thread comes here, each with connections that it has taken.
#include <sys/epoll.h>
#include <sys/socket.h>

#include "server/loop.h"

namespace skim::server {
namespace {

constexpr std::size_t kMostDiscarded = std::size_t{256} << 20U;
// Taken in from one client before others get their turn.
constexpr int kMostPieces = 16;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

bool Loop::is_empty() {
  const std::lock_guard lock(mutex_);
  return connections_.empty();
}

Loop::Taken Loop::take(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return {};
  // Whoever has it now asks for events again when done with it, so that none is lost.
  const Phase phase = found->second->phase.load(std::memory_order_acquire);
  if (phase == Phase::taken) return {};
  found->second->phase.store(Phase::taken, std::memory_order_relaxed);
  return {found->second, phase};
}

void Loop::drop(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  // Others may still hold the connection for a moment, and with it the open file.
  poller_.remove(found->second->socket.number());
  if (found->second->turned_away) --turned_away_;
  connections_.erase(found);
  running_.metrics.connections.store(connections_.size(), std::memory_order_relaxed);
  if (stopping_ && connections_.empty()) watchman_.ring();
}

void Loop::look_after(const Poller::Happened& happened) {
  for (std::size_t i = 0; i < happened.count; ++i) {
    if (const Taken taken = take(happened.ids.at(i)); taken.connection) handle(taken);
  }
}

void Loop::handle(const Taken& taken) {
  const Shared& connection = taken.connection;
  switch (taken.phase) {
    case Phase::reading:
      return read_on(connection);
    case Phase::writing:
      return send(*connection);
    case Phase::lingering:
      return linger_on(*connection);
    case Phase::taken:
      return;  // cannot be
  }
}

void Loop::read_on(const Shared& connection) {
  const bool began = connection->started;
  Received received = Received::piece;
  auto state = RequestParser::State::more;
  for (int i = 0; i < kMostPieces && received == Received::piece; ++i) {
    received = receive_some(*connection);
    if (received == Received::broken) return drop(connection->id);
    state = connection->parser.advance(connection->in);
    if (state != RequestParser::State::more) break;
  }
  if (!began && connection->started) connection->deadline = Clock::now() + limits_.read_time;
  switch (state) {
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

void Loop::linger_on(Connection& connection) {
  Received received = Received::piece;
  for (int i = 0; i < kMostPieces && received == Received::piece; ++i) {
    received = discard_some(connection);
  }
  const bool gone = received == Received::ended || received == Received::broken;
  if (gone || connection.discarded > kMostDiscarded) return drop(connection.id);
  await(connection, Phase::lingering, EPOLLIN);
}

void Loop::take_request(const Shared& connection) {
  connection->arrived = Clock::now();
  connection->taken_up = connection->arrived;
  if (!needs_desk(running_.site, connection->parser.request())) {
    return respond(*connection, nullptr);
  }
  if (workers_.offer(connection)) return;
  respond(*connection, {503, "too many requests are waiting; try again later"});
}

}  // namespace skim::server
