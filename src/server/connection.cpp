#include "server/connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace skim::server {
namespace {

// A larger input buffer is freed between requests.
constexpr std::size_t kMaxRetainedBytes = std::size_t{64} << 10U;

iovec make_iovec(std::string_view bytes, std::size_t from) {
  const std::string_view rest = bytes.substr(std::min(from, bytes.size()));
  return {const_cast<char*>(rest.data()), rest.size()};  // sendmsg does not write to it
}

using ReceiveBuffer = std::array<char, std::size_t{64} << 10U>;

ReceiveResult receive(const Connection& connection, ReceiveBuffer& buffer, std::size_t& count) {
  count = 0;
  const ssize_t received = ::recv(connection.socket.number(), buffer.data(), buffer.size(), 0);
  if (received == 0) return ReceiveResult::end_of_stream;
  if (received < 0) {
    const bool retry = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return retry ? ReceiveResult::would_block : ReceiveResult::error;
  }
  count = static_cast<std::size_t>(received);
  return count == buffer.size() ? ReceiveResult::full_buffer : ReceiveResult::partial_buffer;
}

}  // namespace

SendResult send_response(Connection& connection) {
  const std::string_view body =
      connection.omit_body ? std::string_view() : connection.response.content();
  const std::size_t head = connection.head.size(), total = head + body.size();
  while (connection.sent < total) {
    std::array<iovec, 2> parts = {
        make_iovec(connection.head, connection.sent),
        make_iovec(body, connection.sent > head ? connection.sent - head : 0)};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(connection.socket.number(), &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      connection.sent += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return SendResult::partial;
    } else if (errno != EINTR) {
      return SendResult::error;
    }
  }
  return SendResult::complete;
}

ReceiveResult receive_input(Connection& connection) {
  ReceiveBuffer buffer;
  std::size_t count = 0;
  const ReceiveResult result = receive(connection, buffer, count);
  connection.in.append(buffer.data(), count);
  connection.has_input = connection.has_input || count > 0;
  return result;
}

ReceiveResult discard_input(Connection& connection) {
  ReceiveBuffer buffer;
  std::size_t count = 0;
  const ReceiveResult result = receive(connection, buffer, count);
  connection.discarded += count;
  return result;
}

void release_request(Connection& connection) {
  connection.parser.finish(connection.in);
  if (connection.in.capacity() > kMaxRetainedBytes && connection.in.size() < kMaxRetainedBytes) {
    connection.in = std::string(connection.in);
  }
}

void release_response(Connection& connection) {
  connection.head.clear();
  connection.response = {};
}

void begin_next_request(Connection& connection) {
  release_request(connection);
  release_response(connection);
  connection.has_input = !connection.in.empty();
  connection.match = {};
  connection.sent = 0;
  connection.omit_body = false;
}

}  // namespace skim::server
