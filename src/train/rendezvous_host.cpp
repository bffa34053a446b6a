#include "train/rendezvous_host.h"

#include <poll.h>

#include <algorithm>

#include "train/rendezvous_frame.h"

namespace skim::train {
namespace {

// The addresses of one process for all others take some hundred bytes per process.
constexpr std::size_t kMaxHelloSize = std::size_t{16} << 20;
// Connections that have not said who they are. More are closed, the oldest first.
constexpr std::ptrdiff_t kMaxUnknown = 256;
// Named in a message.
constexpr std::size_t kMaxNamedRanks = 8;

std::string refusal(const std::string& reason) { return "e" + reason; }

}  // namespace

RendezvousHost::RendezvousHost(const Rendezvous& rendezvous, FileDescriptor listener,
                               std::string own_message)
    : rendezvous_(rendezvous),
      listener_(std::move(listener)),
      messages_(static_cast<std::size_t>(rendezvous.size)) {
  messages_[0] = std::move(own_message);
}

Result<std::vector<std::string>> RendezvousHost::run(const Patience& patience) {
  const Deadline deadline(patience);
  // The reply must reach the others even when the time is up.
  const Deadline reply_deadline({.seconds = patience.seconds + 1});
  do {
    if (deadline.passed()) {
      const std::string reason = deadline.stopped() ? "the process of rank 0 was stopped"
                                                    : describe_missing() + patience.text();
      reply_to_all(refusal(reason), reply_deadline);
      return fail(Fault::io, reason);
    }
    if (!complete()) poll_once(deadline.poll_milliseconds(), deadline);
    // Of those that have come, some may have died since.
    if (complete()) poll_once(0, deadline);
  } while (!complete());
  std::string payload = "m";
  for (const std::string& message : messages_) payload += frame_body(message);
  reply_to_all(payload, reply_deadline);
  return messages_;
}

void RendezvousHost::poll_once(int milliseconds, const Deadline& deadline) {
  std::vector<pollfd> wanted = {{listener_.number(), POLLIN, 0}};
  for (const Connection& each : connections_) wanted.push_back({each.socket.number(), POLLIN, 0});
  if (poll(wanted.data(), wanted.size(), milliseconds) <= 0) return;
  auto ready = wanted.begin() + 1;
  for (auto each = connections_.begin(); each != connections_.end(); ++ready) {
    const bool keep = ready->revents == 0 || receive(*each, deadline);
    each = keep ? std::next(each) : connections_.erase(each);
  }
  accept_all();
}

void RendezvousHost::accept_all() {
  while (auto socket = accept_from(listener_)) connections_.push_back({std::move(*socket), {}});
  const auto unknown = [](const Connection& each) { return each.rank < 0; };
  while (std::count_if(connections_.begin(), connections_.end(), unknown) > kMaxUnknown)
    connections_.erase(std::find_if(connections_.begin(), connections_.end(), unknown));
}

bool RendezvousHost::receive(Connection& connection, const Deadline& deadline) {
  const bool open = receive_available(connection.socket, connection.received);
  if (!open) return false;  // a process that comes again, or a new one with its rank, is welcome
  std::string_view hello;
  switch (parse_frame(connection.received, kHelloMagic, kMaxHelloSize, hello)) {
    case FrameState::incomplete:
      return true;
    case FrameState::complete:
      return connection.rank >= 0 || admit(connection, hello, deadline);
    case FrameState::foreign:
      break;
  }
  ++foreign_;
  return false;
}

// A process that does not belong here is told why.
bool RendezvousHost::admit(Connection& connection, std::string_view hello,
                           const Deadline& deadline) {
  std::uint32_t size = 0, rank = 0;
  if (!take_number(hello, size) || !take_number(hello, rank)) return false;
  if (!send_all(connection.socket, kReplyMagic, deadline)) return false;
  const auto refuse = [&](const std::string& reason) {
    send_all(connection.socket, frame_body(refusal(reason)), deadline);
    return false;
  };
  if (size != static_cast<std::uint32_t>(rendezvous_.size))
    return refuse("WORLD_SIZE is " + std::to_string(size) + ", but " +
                  std::to_string(rendezvous_.size) + " in the process of rank 0");
  const bool taken = std::any_of(connections_.begin(), connections_.end(), [&](const auto& each) {
    return each.rank == static_cast<int>(rank);
  });
  if (rank == 0 || rank >= size || taken)
    return refuse("RANK=" + std::to_string(rank) +
                  " is taken by another process; give each process a rank of its own");
  connection.rank = static_cast<int>(rank);
  messages_[rank] = hello;
  return true;
}

void RendezvousHost::reply_to_all(const std::string& payload, const Deadline& deadline) {
  const std::string body = frame_body(payload);
  for (const Connection& each : connections_) {
    if (each.rank >= 0) send_all(each.socket, body, deadline);
  }
}

bool RendezvousHost::complete() const {
  const auto joined = std::count_if(connections_.begin(), connections_.end(),
                                    [](const Connection& each) { return each.rank >= 0; });
  return joined + 1 == rendezvous_.size;
}

std::string RendezvousHost::describe_missing() const {
  std::vector<bool> present(static_cast<std::size_t>(rendezvous_.size));
  present[0] = true;
  for (const Connection& each : connections_) {
    if (each.rank >= 0) present[static_cast<std::size_t>(each.rank)] = true;
  }
  std::string ranks;
  std::size_t named = 0, missing = 0;
  for (std::size_t rank = 0; rank < present.size(); ++rank) {
    if (present[rank]) continue;
    if (++missing > kMaxNamedRanks) continue;
    ranks += (named++ == 0 ? "" : ", ") + std::to_string(rank);
  }
  if (missing > named) ranks += " and " + std::to_string(missing - named) + " more";
  std::string text = "no process of rank " + ranks + " came to " + rendezvous_.address + ":" +
                     std::to_string(rendezvous_.port);
  if (foreign_ > 0)
    text += "; " + std::to_string(foreign_) + " connections of other programs were ignored";
  return text;
}

}  // namespace skim::train
