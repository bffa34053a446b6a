// One client: what has come from it, what goes to it. Belongs to one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "server/message.h"
#include "server/parser.h"

namespace skim::server {

using Clock = std::chrono::steady_clock;

struct Connection {
  // Who may touch the rest: whoever made it `taken`, and nobody else while it is. It is given back
  // by storing another phase, last of all.
  enum class Phase {
    reading,    // waits for a request, or for the rest of one
    taken,      // someone looks after it, or it waits in the queue
    writing,    // the client takes its time to take the answer
    lingering,  // answered; what still comes is thrown away, so that the answer is not lost
  };

  Connection(Descriptor accepted, std::uint64_t number, std::string from, const Limits& limits)
      : socket(std::move(accepted)), id(number), peer(std::move(from)), parser(limits) {}

  Descriptor socket;
  std::uint64_t id;
  std::string peer;
  std::atomic<Phase> phase{Phase::reading};
  Clock::time_point deadline;  // of the present phase
  Clock::time_point arrived;   // when the present request was complete
  Clock::time_point taken_up;  // when someone began to answer it

  std::string in;
  RequestParser parser;
  bool started = false;  // a byte of the present request has come

  std::string head;
  Response response;
  std::size_t sent = 0;    // of head and body together
  bool head_only = false;  // the request was a HEAD
  bool last_answer = false;
  bool refused = false;       // what came is no request
  bool turned_away = false;   // there are too many connections; nothing was read
  std::size_t discarded = 0;  // while lingering
};

// How far sending got without waiting.
enum class Sent { all, part, broken };
Sent send_some(Connection& connection);

// Takes in what is there without waiting, at most one piece. A whole one may have more behind it.
enum class Received { piece, something, nothing, ended, broken };
Received receive_some(Connection& connection);
// The same, but throws it away.
Received discard_some(Connection& connection);

// The request has been answered in full: ready for the next one.
void begin_next(Connection& connection);

}  // namespace skim::server
