// One client connection: its socket, its buffers and its state.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/file_descriptor.h"
#include "server/message.h"
#include "server/parser.h"
#include "server/router.h"

namespace skim::server {

using Clock = std::chrono::steady_clock;

// Owned by one thread at a time, the one that set `phase` to `claimed`.
struct Connection {
  // A thread claims a connection by changing `phase` to `claimed`, and releases it by storing
  // another phase as its last access. Only the claiming thread may access the other members.
  enum class Phase {
    reading,   // waits for a request, or for the rest of one
    claimed,   // a thread handles it, or it is in the queue of the worker pool
    writing,   // waits until the client accepts more of the response
    draining,  // the response is sent; discards further input, so that the client sees no reset
  };

  Connection(FileDescriptor accepted, std::uint64_t number, std::string from, const Limits& limits)
      : socket(std::move(accepted)), id(number), peer(std::move(from)), parser(limits) {}

  // Whether parser.request() is a complete valid request.
  bool has_request() const { return !is_malformed && !is_rejected; }

  FileDescriptor socket;
  std::uint64_t id;
  std::string peer;
  std::atomic<Phase> phase{Phase::reading};
  Clock::time_point deadline;          // of the current phase
  Clock::time_point received_at;       // when the current request was complete
  Clock::time_point handling_started;  // when a thread began to handle it

  std::string in;
  RequestParser parser;
  bool has_input = false;  // a byte of the current request has arrived
  RouteMatch match;        // of the current request
  bool may_join = false;   // whether it may be read together with other requests

  std::string head;
  Response response;
  std::size_t sent = 0;       // bytes of head and body together
  bool omit_body = false;     // the request method is HEAD
  bool close_after = false;   // this response is the last one
  bool is_malformed = false;  // the input is not a complete valid request
  bool is_rejected = false;   // over the connection limit; nothing was read
  std::size_t discarded = 0;  // bytes, while draining
};

// Sends as much of the response as the socket accepts without blocking.
enum class SendResult { complete, partial, error };
SendResult send_response(Connection& connection);

// Receives at most one buffer without blocking. After `full_buffer` there may be more.
enum class ReceiveResult { full_buffer, partial_buffer, would_block, end_of_stream, error };
ReceiveResult receive_input(Connection& connection);
// Receives and discards.
ReceiveResult discard_input(Connection& connection);

// Frees the memory of the request, which is not needed while its response is sent.
void release_request(Connection& connection);
// Frees the memory of a response that has been sent.
void release_response(Connection& connection);
// Resets the connection for the next request after a complete response.
void begin_next_request(Connection& connection);

}  // namespace skim::server
