// How answers are made and sent. Nothing here knows for which of the threads.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <utility>

#include "server/loop.h"

namespace skim::server {
namespace {

constexpr std::chrono::milliseconds kLinger{2000};

}  // namespace

void Loop::respond(Connection& connection, Desk* desk) {
  connection.taken_up = Clock::now();
  Outcome outcome;
  Response response =
      answer(running_.site, running_.metrics, connection.parser.request(), desk, outcome);
  finish(connection, std::move(response), outcome);
}

void Loop::respond(Connection& connection, const Refusal& refusal) {
  connection.taken_up = connection.arrived;
  Outcome outcome;
  if (!connection.refused && !connection.turned_away) {
    outcome.route = route_of(connection.parser.request());
  }
  finish(connection, refused(refusal), outcome);
}

void Loop::finish(Connection& connection, Response response, const Outcome& outcome) {
  const bool understood = !connection.refused && !connection.turned_away;
  // Requests that were sent behind this one are answered, too, before the server stops.
  const bool stops = stopping_ && !(understood && connection.parser.has_more(connection.in));
  connection.last_answer = !understood || !connection.parser.keeps_alive() || stops;
  connection.head_only = understood && connection.parser.request().method == "HEAD";
  connection.response = std::move(response);
  connection.head =
      head_of(connection.response, connection.last_answer ? After::close : After::keep_open);
  note(connection, outcome);
  send(connection);
}

void Loop::note(const Connection& connection, const Outcome& outcome) {
  const bool understood = !connection.refused && !connection.turned_away;
  const Request& request = connection.parser.request();
  LogEntry entry;
  entry.time = std::chrono::system_clock::now();
  entry.peer = connection.peer;
  // Of what was not understood the views may be stale.
  if (understood) {
    entry.method = request.method;
    entry.path = request.path;
    entry.bytes_in = request.body.size();
  }
  entry.status = connection.response.status;
  entry.bytes_out = connection.response.content().size();
  entry.taken = Clock::now() - connection.arrived;
  entry.waited = connection.taken_up - connection.arrived;
  entry.outcome = outcome;
  running_.metrics.count(outcome, entry.status, entry.taken);
  running_.log.add(entry);
}

void Loop::send(Connection& connection) {
  const bool first = connection.sent == 0;
  switch (send_some(connection)) {
    case Sent::all:
      return after_answer(connection);
    case Sent::part:
      if (first) connection.deadline = Clock::now() + limits_.write_time;
      return await(connection, Phase::writing, EPOLLOUT);
    case Sent::broken:
      return drop(connection.id);
  }
}

void Loop::after_answer(Connection& connection) {
  if (!connection.last_answer) {
    begin_next(connection);
    connection.deadline =
        Clock::now() + (connection.started ? limits_.read_time : limits_.keep_alive_time);
    // What came behind the request is looked at right away: a socket can always be written to.
    return await(connection, Phase::reading, connection.started ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }
  // Closing a socket with bytes nobody read tells the client to forget what it was sent.
  ::shutdown(connection.socket.number(), SHUT_WR);
  connection.deadline = Clock::now() + kLinger;
  await(connection, Phase::lingering, EPOLLIN);
}

void Loop::await(Connection& connection, Phase phase, std::uint32_t events) const {
  const int socket = connection.socket.number();
  const std::uint64_t id = connection.id;
  connection.phase.store(phase, std::memory_order_release);
  poller_.await(socket, id, events);
}

}  // namespace skim::server
