// One thread that waits for all sockets at once. It takes requests in, answers those that need no
// reading itself, and hands the others to workers, which send their answers themselves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/descriptor.h"
#include "server/connection.h"
#include "server/http.h"
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

  // Of the loop's thread alone.
  void watch(int descriptor, std::uint64_t id) const;
  void dispatch(std::uint64_t id);
  void begin_stop();
  void accept_all();
  void admit(Descriptor socket, std::string peer);
  void turn_away(Connection& connection);
  void drop(std::uint64_t id);
  void handle(const Shared& connection);
  void read_on(const Shared& connection);
  void take_request(const Shared& connection);
  void look_at_clock();
  bool is_overdue(const Connection& connection, Clock::time_point now) const;

  // Of whoever has the connection.
  void respond(Connection& connection, Desk* desk);
  void respond(Connection& connection, const Refusal& refusal);
  void finish(Connection& connection, Response response, const Outcome& outcome);
  void send(Connection& connection);
  void after_answer(Connection& connection);
  // Hands the connection to the loop, in this phase, when one of the events comes.
  void await(Connection& connection, Phase phase, std::uint32_t events) const;
  void note(const Connection& connection, const Outcome& outcome);

  Running running_;
  const Limits& limits_;
  std::size_t most_refused_;
  Descriptor epoll_;
  std::string scratch_;  // what is received lands here first
  std::unordered_map<std::uint64_t, Shared> connections_;
  std::size_t turned_away_ = 0;  // of the connections, those beyond the limit
  std::uint64_t next_id_;
  Clock::time_point next_look_;
  Clock::time_point idle_end_;  // when stopping: how long idle connections are kept
  std::atomic<bool> stopping_{false};
  Workers workers_;  // last: its threads use the rest
};

}  // namespace skim::server
