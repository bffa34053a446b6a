// The event loop of the server.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "server/acceptor.h"
#include "server/connection.h"
#include "server/connection_table.h"
#include "server/event_fd.h"
#include "server/poller.h"
#include "server/router.h"
#include "server/server.h"
#include "server/worker_pool.h"

namespace skim::server {

// Every idle worker thread waits for events on all sockets, receives requests and sends responses.
// The thread that calls `run` is the acceptor thread: it accepts connections, enforces deadlines,
// and handles the events of all sockets while every worker thread is busy with inference.
class EventLoop {
 public:
  // `max_rejected` connections over the limit receive a 503; further ones are closed.
  EventLoop(ServerState state, std::size_t max_rejected);

  // Returns after a stop request, when all connections are closed.
  Result<void> run();

 private:
  using Phase = Connection::Phase;

  // Acceptor thread only.
  void poll_once();
  int poll_timeout();
  void poll_while_busy();
  void begin_stop();
  void accept_all();
  void admit(Acceptor::Accepted accepted);
  void enforce_deadlines();
  void expire(const ConnectionTable::Claim& claim, Clock::time_point now);

  // Any thread.
  void handle_events(const Poller::Events& events);
  // Calls `action` and closes the connection if that throws.
  template <class Action>
  void close_on_exception(std::uint64_t id, Action action);
  void count_aborted();
  void close(std::uint64_t id);

  // The thread that has claimed the connection.
  void handle(const ConnectionTable::Claim& claim);
  void read(const std::shared_ptr<Connection>& connection);
  void drain(Connection& connection);
  void dispatch(const std::shared_ptr<Connection>& connection);
  void execute(Connection& connection, WorkerContext* context);
  // Worker threads only: one request, or several that may join.
  void execute_all(std::span<const WorkerPool::Task> tasks, WorkerContext& context);
  void execute_together(std::span<const WorkerPool::Task> tasks, WorkerContext& context);
  void respond_with_error(Connection& connection, const HttpError& error);
  void respond(Connection& connection, Response response, const Outcome& outcome);
  void send(Connection& connection);
  void after_response(Connection& connection);
  // Releases the connection in this phase; the thread that receives the next event continues.
  void release(Connection& connection, Phase phase, std::uint32_t events);
  void record(Connection& connection, const Outcome& outcome);

  ServerState state_;
  const Limits& limits_;
  Router router_;
  Poller poller_;
  Acceptor acceptor_;
  EventFd acceptor_wakeup_;
  ConnectionTable connections_;
  std::uint64_t next_id_ = Poller::kFirstId;
  Clock::time_point next_deadline_check_;
  Clock::time_point idle_deadline_ = Clock::time_point::max();  // set when stopping
  Clock::time_point busy_until_;  // the acceptor thread handles socket events until then
  bool is_busy_polling_ = false;
  std::atomic<bool> stopping_{false};
  WorkerPool workers_;  // last: its threads use the other members
};

}  // namespace skim::server
