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

// Responses are written at once; Nagle's algorithm would only delay them.
void disable_nagle(int socket) {
  const int yes = 1;
  static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
}

}  // namespace

std::optional<Acceptor::Accepted> Acceptor::accept() {
  if (!listener_) return std::nullopt;
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  FileDescriptor socket(::accept4(listener_.number(), reinterpret_cast<sockaddr*>(&address), &size,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket) {
    // The listener stays readable: without a pause the event loop would spin.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      resume_at_ = std::chrono::steady_clock::now() + kPause;
    }
    return std::nullopt;
  }
  disable_nagle(socket.number());
  return Accepted{std::move(socket), format_peer(address, size)};
}

}  // namespace skim::server
