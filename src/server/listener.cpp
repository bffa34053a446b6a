#include "server/listener.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

namespace skim::server {
namespace {

// Clients beyond it wait for theirs to be answered; the system may allow fewer.
constexpr int kBacklog = 4096;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<Addresses> addresses_of(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error == 0) return Addresses(found, &::freeaddrinfo);
  return fail(Fault::argument, "host '" + host + "' is not known: " + ::gai_strerror(error));
}

Result<Descriptor> bound_to(const addrinfo& address, const std::string& name) {
  Descriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  if (!socket) return system_error(name, "cannot open a socket");
  // A restart need not wait until the last connections of the one before are forgotten.
  static_cast<void>(::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes));
  if (::bind(socket.number(), address.ai_addr, address.ai_addrlen) != 0 ||
      ::listen(socket.number(), kBacklog) != 0) {
    return system_error(name, "cannot listen there");
  }
  return socket;
}

bool is_loopback(const std::string& host) { return host == "::1" || host.starts_with("127."); }

}  // namespace

Result<Listener> listen_at(const std::string& host, int port) {
  const auto addresses = addresses_of(host, port);
  if (!addresses) return tl::make_unexpected(addresses.error());
  auto socket = bound_to(**addresses, host + ":" + std::to_string(port));
  if (!socket) return tl::make_unexpected(socket.error());
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  std::array<char, NI_MAXHOST> number{};
  std::array<char, NI_MAXSERV> service{};
  auto* plain = reinterpret_cast<sockaddr*>(&name);
  if (::getsockname(socket->number(), plain, &size) != 0 ||
      ::getnameinfo(plain, size, number.data(), number.size(), service.data(), service.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return fail(Fault::io, host + ": the system does not tell where it listens");
  }
  const std::string bare = number.data();
  const std::string shown = bare.find(':') == std::string::npos ? bare : "[" + bare + "]";
  return Listener{std::move(*socket), shown + ":" + service.data(), is_loopback(bare)};
}

}  // namespace skim::server
