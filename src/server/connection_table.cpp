#include "server/connection_table.h"

#include <algorithm>

namespace skim::server {
namespace {

using Phase = Connection::Phase;

bool is_expired(const Connection& connection, Phase phase, Clock::time_point now,
                Clock::time_point idle_deadline) {
  if (phase == Phase::claimed) return false;
  const bool idle = phase == Phase::reading && !connection.has_input;
  return now >= (idle ? std::min(connection.deadline, idle_deadline) : connection.deadline);
}

}  // namespace

ConnectionTable::Admission ConnectionTable::add(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  const bool full = connections_.size() - num_rejected_ >= capacity_.connections;
  if (full && num_rejected_ >= capacity_.rejected) return Admission::closed;
  connections_.emplace(connection->id, connection);
  if (full) {
    ++num_rejected_;
    connection->is_rejected = true;
    connection->phase = Phase::claimed;
  }
  metrics_.connections_open.store(connections_.size(), std::memory_order_relaxed);
  return full ? Admission::rejected : Admission::accepted;
}

bool ConnectionTable::remove(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return false;
  // Another thread may hold the connection, and with it the open socket, for a moment longer.
  poller_.remove(found->second->socket.number());
  if (found->second->is_rejected) --num_rejected_;
  connections_.erase(found);
  metrics_.connections_open.store(connections_.size(), std::memory_order_relaxed);
  return connections_.empty();
}

bool ConnectionTable::is_empty() {
  const std::lock_guard lock(mutex_);
  return connections_.empty();
}

ConnectionTable::Claim ConnectionTable::claim(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return {};
  // The thread that has claimed it rearms the socket when it is done, so no event is lost.
  const Phase phase = found->second->phase.load(std::memory_order_acquire);
  if (phase == Phase::claimed) return {};
  found->second->phase.store(Phase::claimed, std::memory_order_relaxed);
  return {found->second, phase};
}

ConnectionTable::Expired ConnectionTable::claim_expired(Clock::time_point now,
                                                        Clock::time_point idle_deadline) {
  Expired expired;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, connection] : connections_) {
    const Phase phase = connection->phase.load(std::memory_order_acquire);
    if (!is_expired(*connection, phase, now, idle_deadline)) continue;
    connection->phase.store(Phase::claimed, std::memory_order_relaxed);
    expired.claims.at(expired.count++) = {connection, phase};
    if (expired.count == expired.claims.size()) break;
  }
  return expired;
}

}  // namespace skim::server
