// All connections and the threads that look after them. Every worker waits for all sockets at once
// and takes requests in itself. The thread that runs the loop is the watchman: it lets clients in,
// keeps the deadlines, and looks after the sockets while all workers read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/descriptor.h"
#include "server/connection.h"
#include "server/http.h"
#include "server/poller.h"
#include "server/workers.h"

namespace skim::server {

class Loop {
 public:
  // `most_refused`: so many connections beyond the limit are told that there are too many.
  Loop(Running running, std::size_t most_refused);

  Result<void> run();

 private:
  using Phase = Connection::Phase;
  using Shared = std::shared_ptr<Connection>;
  struct Taken {
    Shared connection;           // null: gone, or someone else has it
    Phase phase = Phase::taken;  // that it was in
  };

  enum class Place { within, beyond, none };  // of a new connection, and the limit

  // Of the watchman alone.
  void keep_watch();
  int patience();
  void stand_in();
  void begin_stop();
  void accept_all();
  void admit(Descriptor socket, std::string peer);
  Place enter(const Shared& connection);
  void turn_away(Connection& connection);
  void look_at_clock();
  std::vector<Taken> take_overdue(Clock::time_point now);
  bool is_overdue(const Connection& connection, Phase phase, Clock::time_point now) const;

  // Of any thread.
  bool is_empty();
  Taken take(std::uint64_t id);
  void drop(std::uint64_t id);
  void look_after(const Poller::Happened& happened);

  // Of whoever has taken the connection.
  void handle(const Taken& taken);
  void read_on(const Shared& connection);
  void linger_on(Connection& connection);
  void take_request(const Shared& connection);
  void respond(Connection& connection, Desk* desk);
  void respond(Connection& connection, const Refusal& refusal);
  void finish(Connection& connection, Response response, const Outcome& outcome);
  void send(Connection& connection);
  void after_answer(Connection& connection);
  // Gives the connection back, in this phase, for whoever is told of one of the events.
  void await(Connection& connection, Phase phase, std::uint32_t events) const;
  void note(const Connection& connection, const Outcome& outcome);

  Running running_;
  const Limits& limits_;
  std::size_t most_refused_;
  Poller poller_;
  Bell watchman_;  // wakes it
  std::uint64_t next_id_ = Poller::kFirstId;
  Clock::time_point next_look_;
  Clock::time_point next_accept_;  // not before
  Clock::time_point idle_end_;     // when stopping: how long idle connections are kept
  Clock::time_point closely_until_;
  bool closely_ = false;  // the watchman looks after the sockets every few milliseconds
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;  // guards both below
  std::unordered_map<std::uint64_t, Shared> connections_;
  std::size_t turned_away_ = 0;  // of the connections, those beyond the limit
  Workers workers_;              // last: its threads use the rest
};

}  // namespace skim::server
