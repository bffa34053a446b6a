#include "server/event_loop.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

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
      router_(state_.options, state_.metrics),
      acceptor_(std::move(state_.listener)),
      connections_({limits_.connections, max_rejected}, poller_, state_.metrics),
      workers_({state_.threads, limits_.queue}, poller_, state_.options.models, state_.metrics,
               {[this](Connection& connection, WorkerContext& context) {
                  execute(connection, &context);
                },
                [this](const Poller::Events& events) { handle_events(events); },
                [this] { acceptor_wakeup_.signal(); }}) {}

Result<void> EventLoop::run() {
  if (!poller_ || !acceptor_wakeup_) return fail(Fault::io, "cannot create an epoll descriptor");
  workers_.start();
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
  while (auto accepted = acceptor_.accept()) admit(std::move(*accepted));
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
  respond_with_error(*connection, {503, "too many connections; try again later"});
}

void EventLoop::enforce_deadlines() {
  const Clock::time_point now = Clock::now();
  if (now < next_deadline_check_) return;
  next_deadline_check_ = now + kTick;
  for (const ConnectionTable::Claim& claim : connections_.claim_expired(now, idle_deadline_)) {
    Connection& connection = *claim.connection;
    const bool is_incomplete = claim.phase == Phase::reading && connection.has_input;
    if (!is_incomplete) {
      close(connection.id);
      continue;
    }
    connection.is_malformed = true;
    connection.received_at = now;
    respond_with_error(connection, {408, "the request did not arrive in time"});
  }
}

// --- any thread

void EventLoop::handle_events(const Poller::Events& events) {
  for (std::size_t i = 0; i < events.count; ++i) {
    const ConnectionTable::Claim claim = connections_.claim(events.ids.at(i));
    if (claim.connection) handle(claim);
  }
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
  for (int i = 0; i < kMaxReceives && received == ReceiveResult::full_buffer; ++i) {
    received = receive_input(*connection);
    if (received == ReceiveResult::error) return close(connection->id);
    state = connection->parser.advance(connection->in);
    if (state != RequestParser::State::incomplete) break;
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

void EventLoop::respond_with_error(Connection& connection, const HttpError& error) {
  connection.handling_started = connection.received_at;
  Outcome outcome;
  if (connection.has_request()) outcome.route = connection.match.route;
  respond(connection, error_response(error), outcome);
}

void EventLoop::respond(Connection& connection, Response response, const Outcome& outcome) {
  const bool has_request = connection.has_request();
  // Requests that were pipelined behind this one are answered before the server stops.
  const bool stops = stopping_ && !(has_request && connection.parser.has_more(connection.in));
  connection.close_after = !has_request || !connection.parser.keep_alive() || stops;
  connection.omit_body = has_request && connection.parser.request().method == "HEAD";
  connection.response = std::move(response);
  connection.head = serialize_head(
      connection.response, connection.close_after ? Persistence::close : Persistence::keep_alive);
  record(connection, outcome);
  send(connection);
}

void EventLoop::record(const Connection& connection, const Outcome& outcome) {
  LogEntry entry;
  entry.time = std::chrono::system_clock::now();
  entry.peer = connection.peer;
  // The views of an invalid request may be stale.
  if (connection.has_request()) {
    const Request& request = connection.parser.request();
    entry.method = request.method;
    entry.path = request.path;
    entry.bytes_in = request.body.size();
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
      if (first) connection.deadline = Clock::now() + limits_.write_timeout;
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
  // Closing a socket with unread input sends a reset, which may discard the response.
  ::shutdown(connection.socket.number(), SHUT_WR);
  connection.deadline = Clock::now() + kDrainTimeout;
  release(connection, Phase::draining, EPOLLIN);
}

void EventLoop::release(Connection& connection, Phase phase, std::uint32_t events) const {
  const int socket = connection.socket.number();
  const std::uint64_t id = connection.id;
  connection.phase.store(phase, std::memory_order_release);
  poller_.rearm(socket, id, events);
}

}  // namespace skim::server
