#include "server/acceptor.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace skim::server {
namespace {

std::string format_peer(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  const int error = ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(),
                                  host.size(), nullptr, 0, NI_NUMERICHOST | NI_NUMERICSERV);
  return error == 0 ? host.data() : "";
}

// Skips connections that the client has already given up.
FileDescriptor accept_next(int listener, sockaddr_storage& address, socklen_t& size) {
  int number = -1;
  do {
    size = sizeof address;
    number = ::accept4(listener, reinterpret_cast<sockaddr*>(&address), &size,
                       SOCK_NONBLOCK | SOCK_CLOEXEC);
  } while (number < 0 && (errno == EINTR || errno == ECONNABORTED));
  return FileDescriptor(number);
}

// Responses are written at once; Nagle's algorithm would only delay them.
void disable_nagle(int socket) {
  const int yes = 1;
  static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
}

}  // namespace

std::optional<Acceptor::Accepted> Acceptor::accept() {
  if (!listener_) return std::nullopt;
  sockaddr_storage address{};
  socklen_t size = 0;
  FileDescriptor socket = accept_next(listener_.number(), address, size);
  if (!socket) {
    // The listener stays readable: without a pause the event loop would spin.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) pause();
    return std::nullopt;
  }
  disable_nagle(socket.number());
  return Accepted{std::move(socket), format_peer(address, size)};
}

}  // namespace skim::server
