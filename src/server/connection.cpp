#include "server/connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace skim::server {
namespace {

// A buffer that held a giant is given back.
constexpr std::size_t kKeptBuffer = std::size_t{64} << 10U;

iovec rest_of(std::string_view bytes, std::size_t from) {
  const std::string_view rest = bytes.substr(std::min(from, bytes.size()));
  return {const_cast<char*>(rest.data()), rest.size()};  // sending does not write to it
}

using Piece = std::array<char, std::size_t{64} << 10U>;

Received receive(const Connection& connection, Piece& piece, std::size_t& count) {
  count = 0;
  const ssize_t got = ::recv(connection.socket.number(), piece.data(), piece.size(), 0);
  if (got == 0) return Received::ended;
  if (got < 0) {
    const bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return later ? Received::nothing : Received::broken;
  }
  count = static_cast<std::size_t>(got);
  return count == piece.size() ? Received::piece : Received::something;
}

}  // namespace

Sent send_some(Connection& connection) {
  const std::string_view body =
      connection.head_only ? std::string_view() : connection.response.content();
  const std::size_t head = connection.head.size(), total = head + body.size();
  while (connection.sent < total) {
    std::array<iovec, 2> pieces = {
        rest_of(connection.head, connection.sent),
        rest_of(body, connection.sent > head ? connection.sent - head : 0)};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    const ssize_t sent = ::sendmsg(connection.socket.number(), &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      connection.sent += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Sent::part;
    } else if (errno != EINTR) {
      return Sent::broken;
    }
  }
  return Sent::all;
}

Received receive_some(Connection& connection) {
  Piece piece;
  std::size_t count = 0;
  const Received received = receive(connection, piece, count);
  connection.in.append(piece.data(), count);
  connection.started = connection.started || count > 0;
  return received;
}

Received discard_some(Connection& connection) {
  Piece piece;
  std::size_t count = 0;
  const Received received = receive(connection, piece, count);
  connection.discarded += count;
  return received;
}

void begin_next(Connection& connection) {
  connection.parser.finish(connection.in);
  if (connection.in.capacity() > kKeptBuffer && connection.in.size() < kKeptBuffer) {
    connection.in = std::string(connection.in);
  }
  connection.started = !connection.in.empty();
  connection.head.clear();
  connection.response = {};
  connection.sent = 0;
  connection.head_only = false;
}

}  // namespace skim::server
