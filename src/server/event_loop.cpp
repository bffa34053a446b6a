#include "server/event_loop.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <new>
#include <system_error>
#include <utility>

#include "server/read_handlers.h"

namespace skim::server {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{100};               // precision of deadlines
constexpr milliseconds kBusyPollInterval{2};     // latency of events while all workers are busy
constexpr milliseconds kIdleTimeoutOnStop{500};  // for a request that is on its way
constexpr milliseconds kDrainTimeout{2000};      // for the client to close the connection
constexpr int kMaxPollRounds = 64;               // before accepting connections again
constexpr int kMaxReceives = 16;                 // per connection, before other connections
constexpr std::size_t kMaxDrainBytes = std::size_t{256} << 20U;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

EventLoop::EventLoop(ServerState state, std::size_t max_rejected)
    : state_(std::move(state)),
      limits_(state_.options.limits),
      router_(state_.options, state_.models, state_.metrics),
      acceptor_(std::move(state_.listener)),
      connections_({limits_.connections, max_rejected}, poller_, state_.metrics),
      workers_({state_.models.num_workers(), limits_.queue}, poller_, state_.metrics,
               {[this](std::span<const WorkerPool::Task> tasks, WorkerContext& context) {
                  execute_all(tasks, context);
                },
                [this](const Poller::Events& events) { handle_events(events); },
                [this] { acceptor_wakeup_.signal(); }}) {}

Result<void> EventLoop::run() {
  if (!poller_ || !acceptor_wakeup_) return fail(Fault::io, "cannot create an epoll descriptor");
  try {
    workers_.start();
  } catch (const std::system_error& error) {
    return fail(Fault::io, std::string("cannot start the worker threads: ") + error.what() +
                               "; lower --threads");
  }
  while (!stopping_ || !connections_.is_empty()) poll_once();
  return {};
}

// --- the acceptor thread

void EventLoop::poll_once() {
  std::array<pollfd, 3> descriptors = {pollfd{acceptor_wakeup_.number(), POLLIN, 0},
                                       pollfd{acceptor_.number(), POLLIN, 0},
                                       pollfd{stopping_ ? -1 : state_.stop, POLLIN, 0}};
  if (::poll(descriptors.data(), descriptors.size(), poll_timeout()) > 0) {
    const auto& [wakeup, listener, stop] = descriptors;
    if (wakeup.revents != 0) {
      acceptor_wakeup_.clear();
      busy_until_ = Clock::now() + kTick;
    }
    if (listener.revents != 0) accept_all();
    if (stop.revents != 0) begin_stop();
  }
  poll_while_busy();
  enforce_deadlines();
}

// In milliseconds; -1 waits without a timeout.
int EventLoop::poll_timeout() {
  if (is_busy_polling_) return kBusyPollInterval.count();
  if (acceptor_.is_paused()) return Acceptor::kPause.count();
  return connections_.is_empty() ? -1 : static_cast<int>(kTick.count());
}

// Handles socket events while all worker threads are busy, because none of them waits for events
// then. As long as that happens now and then, polling at short intervals is cheaper than being
// notified every time.
void EventLoop::poll_while_busy() {
  const Clock::time_point now = Clock::now();
  if (workers_.all_busy()) busy_until_ = now + kTick;
  is_busy_polling_ = now < busy_until_ || workers_.notify_when_all_busy();
  if (!is_busy_polling_) return;
  for (int i = 0; i < kMaxPollRounds; ++i) {
    const Poller::Events events = poller_.wait(0);
    handle_events(events);
    if (events.count < events.ids.size()) break;
  }
  workers_.wake_one();
}

void EventLoop::begin_stop() {
  // Clients whose connection the kernel has already established are served.
  accept_all();
  stopping_ = true;
  idle_deadline_ = Clock::now() + kIdleTimeoutOnStop;
  acceptor_.close();
}

void EventLoop::accept_all() {
  try {
    while (auto accepted = acceptor_.accept()) admit(std::move(*accepted));
  } catch (const std::bad_alloc&) {
    count_aborted();
    acceptor_.pause();
  }
}

void EventLoop::admit(Acceptor::Accepted accepted) {
  using Admission = ConnectionTable::Admission;
  const std::uint64_t id = next_id_++;
  const auto connection = std::make_shared<Connection>(std::move(accepted.socket), id,
                                                       std::move(accepted.peer), limits_);
  connection->deadline = Clock::now() + limits_.read_timeout;
  const Admission admission = connections_.add(connection);
  if (admission != Admission::accepted) {
    state_.metrics.connections_refused.fetch_add(1, std::memory_order_relaxed);
  }
  if (admission == Admission::closed) return;
  const bool rejected = admission == Admission::rejected;
  if (!poller_.add(connection->socket.number(), id, rejected ? 0U : EPOLLIN)) return close(id);
  state_.metrics.connections_accepted.fetch_add(1, std::memory_order_relaxed);
  if (!rejected) return;
  connection->received_at = Clock::now();
  close_on_exception(id, [&] {
    respond_with_error(*connection, {503, "too many connections; try again later"});
  });
}

void EventLoop::enforce_deadlines() {
  const Clock::time_point now = Clock::now();
  if (now < next_deadline_check_) return;
  next_deadline_check_ = now + kTick;
  bool more = true;
  while (more) {
    const ConnectionTable::Expired expired = connections_.claim_expired(now, idle_deadline_);
    for (std::size_t i = 0; i < expired.count; ++i) expire(expired.claims.at(i), now);
    more = expired.count == expired.claims.size();
  }
}

void EventLoop::expire(const ConnectionTable::Claim& claim, Clock::time_point now) {
  Connection& connection = *claim.connection;
  const bool is_incomplete = claim.phase == Phase::reading && connection.has_input;
  if (!is_incomplete) return close(connection.id);
  connection.is_malformed = true;
  connection.received_at = now;
  close_on_exception(connection.id, [&] {
    respond_with_error(connection, {408, "the request did not arrive in time"});
  });
}

// --- any thread

void EventLoop::handle_events(const Poller::Events& events) {
  for (std::size_t i = 0; i < events.count; ++i) {
    const ConnectionTable::Claim claim = connections_.claim(events.ids.at(i));
    if (!claim.connection) continue;
    close_on_exception(claim.connection->id, [&] { handle(claim); });
  }
}

// An exception that leaves a thread would end the process. Without memory to receive a request or
// to send a response, the client sees its connection closed.
template <class Action>
void EventLoop::close_on_exception(std::uint64_t id, Action action) {
  try {
    action();
  } catch (...) {
    count_aborted();
    close(id);
  }
}

void EventLoop::count_aborted() {
  state_.metrics.connections_aborted.fetch_add(1, std::memory_order_relaxed);
}

void EventLoop::close(std::uint64_t id) {
  const bool was_last = connections_.remove(id);
  if (stopping_ && was_last) acceptor_wakeup_.signal();
}

// --- the thread that has claimed the connection

void EventLoop::handle(const ConnectionTable::Claim& claim) {
  switch (claim.phase) {
    case Phase::reading:
      return read(claim.connection);
    case Phase::writing:
      return send(*claim.connection);
    case Phase::draining:
      return drain(*claim.connection);
    case Phase::claimed:
      return;  // unreachable: a claim never has this phase
  }
}

void EventLoop::read(const std::shared_ptr<Connection>& connection) {
  const bool had_input = connection->has_input;
  ReceiveResult received = ReceiveResult::full_buffer;
  auto state = RequestParser::State::incomplete;
  // Parses a pipelined request before receiving more: else a client that sends many of them would
  // fill the buffer with the others.
  if (!connection->in.empty()) state = connection->parser.advance(connection->in);
  for (int i = 0; state == RequestParser::State::incomplete && i < kMaxReceives &&
                  received == ReceiveResult::full_buffer;
       ++i) {
    received = receive_input(*connection);
    if (received == ReceiveResult::error) return close(connection->id);
    state = connection->parser.advance(connection->in);
  }
  if (!had_input && connection->has_input) {
    connection->deadline = Clock::now() + limits_.read_timeout;
  }
  switch (state) {
    case RequestParser::State::complete:
      return dispatch(connection);
    case RequestParser::State::invalid:
      connection->is_malformed = true;
      connection->received_at = Clock::now();
      return respond_with_error(*connection, connection->parser.error());
    case RequestParser::State::incomplete:
      break;
  }
  if (received == ReceiveResult::end_of_stream) return close(connection->id);
  if (connection->parser.take_expect_continue()) {
    static_cast<void>(
        ::send(connection->socket.number(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL));
  }
  release(*connection, Phase::reading, EPOLLIN);
}

void EventLoop::drain(Connection& connection) {
  ReceiveResult received = ReceiveResult::full_buffer;
  for (int i = 0; i < kMaxReceives && received == ReceiveResult::full_buffer; ++i) {
    received = discard_input(connection);
  }
  const bool closed = received == ReceiveResult::end_of_stream || received == ReceiveResult::error;
  if (closed || connection.discarded > kMaxDrainBytes) return close(connection.id);
  release(connection, Phase::draining, EPOLLIN);
}

// Routes the request, then executes it here or hands it to the worker pool.
void EventLoop::dispatch(const std::shared_ptr<Connection>& connection) {
  connection->received_at = Clock::now();
  connection->handling_started = connection->received_at;
  connection->match = router_.route(connection->parser.request());
  connection->may_join = router_.may_join(connection->match, connection->parser.request());
  if (!connection->match.needs_worker()) return execute(*connection, nullptr);
  if (workers_.submit(connection)) return;
  respond_with_error(*connection, {503, "too many requests are waiting; try again later"});
}

void EventLoop::execute(Connection& connection, WorkerContext* context) {
  connection.handling_started = Clock::now();
  Outcome outcome;
  Response response =
      router_.execute(connection.match, connection.parser.request(), context, outcome);
  respond(connection, std::move(response), outcome);
}

void EventLoop::execute_all(std::span<const WorkerPool::Task> tasks, WorkerContext& context) {
  if (tasks.front()->may_join) state_.metrics.record_group(tasks.size());
  if (tasks.size() > 1) return execute_together(tasks, context);
  Connection& connection = *tasks.front();
  close_on_exception(connection.id, [&] { execute(connection, &context); });
}

void EventLoop::execute_together(std::span<const WorkerPool::Task> tasks, WorkerContext& context) {
  static_assert(WorkerPool::kMaxGroup <= ReadGroup::kMaxRequests);
  std::array<const Request*, WorkerPool::kMaxGroup> requests{};
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    requests.at(i) = &tasks[i]->parser.request();
    tasks[i]->handling_started = now;
  }
  router_.execute_together(std::span(requests).first(tasks.size()), context,
                           [&](std::size_t index, const Router::BuildResponse& build) {
                             Connection& connection = *tasks[index];
                             close_on_exception(connection.id, [&] {
                               Outcome outcome;
                               Response response = build(outcome);
                               respond(connection, std::move(response), outcome);
                             });
                           });
}

// Also for requests that are incomplete: their route is known once their headers are.
void EventLoop::respond_with_error(Connection& connection, const HttpError& error) {
  connection.handling_started = connection.received_at;
  const Request* head = connection.parser.head(connection.in);
  Outcome outcome;
  if (head != nullptr) outcome.route = router_.route(*head).route;
  respond(connection, router_.reject(error, outcome.route), outcome);
}

void EventLoop::respond(Connection& connection, Response response, const Outcome& outcome) {
  const bool has_request = connection.has_request();
  // Requests that were pipelined behind this one are answered before the server stops.
  const bool stops = stopping_ && !(has_request && connection.parser.has_more(connection.in));
  connection.close_after = !has_request || !connection.parser.keep_alive() || stops;
  const Request* head = connection.parser.head(connection.in);
  connection.omit_body = head != nullptr && head->method == "HEAD";
  connection.response = std::move(response);
  connection.head = serialize_head(
      connection.response, connection.close_after ? Persistence::close : Persistence::keep_alive);
  record(connection, outcome);
  send(connection);
}

void EventLoop::record(Connection& connection, const Outcome& outcome) {
  LogEntry entry;
  entry.time = std::chrono::system_clock::now();
  entry.peer = connection.peer;
  if (const Request* head = connection.parser.head(connection.in)) {
    entry.method = head->method;
    entry.path = head->path;
    entry.bytes_in = head->body.size();
  }
  entry.status = connection.response.status;
  entry.bytes_out = connection.response.content().size();
  entry.duration = Clock::now() - connection.received_at;
  entry.queue_time = connection.handling_started - connection.received_at;
  entry.outcome = outcome;
  state_.metrics.record(outcome, entry.status, entry.duration);
  state_.log.add(entry);
}

void EventLoop::send(Connection& connection) {
  const bool first = connection.sent == 0;
  switch (send_response(connection)) {
    case SendResult::complete:
      return after_response(connection);
    case SendResult::partial:
      if (first) {
        connection.deadline = Clock::now() + limits_.write_timeout;
        release_request(connection);
      }
      return release(connection, Phase::writing, EPOLLOUT);
    case SendResult::error:
      return close(connection.id);
  }
}

void EventLoop::after_response(Connection& connection) {
  if (!connection.close_after) {
    begin_next_request(connection);
    connection.deadline =
        Clock::now() + (connection.has_input ? limits_.read_timeout : limits_.keep_alive_timeout);
    // EPOLLOUT fires at once, so that a pipelined request is parsed without waiting for input.
    return release(connection, Phase::reading, connection.has_input ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }
  release_request(connection);
  release_response(connection);
  // Closing a socket with unread input sends a reset, which may discard the response.
  ::shutdown(connection.socket.number(), SHUT_WR);
  connection.deadline = Clock::now() + kDrainTimeout;
  release(connection, Phase::draining, EPOLLIN);
}

void EventLoop::release(Connection& connection, Phase phase, std::uint32_t events) {
  const int socket = connection.socket.number();
  const std::uint64_t id = connection.id;
  connection.phase.store(phase, std::memory_order_release);
  if (!poller_.rearm(socket, id, events)) close(id);  // no event would ever arrive
}

}  // namespace skim::server
