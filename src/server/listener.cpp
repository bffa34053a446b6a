#include "server/listener.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

#include "base/result_macros.h"

namespace skim::server {
namespace {

// Pending connections; the kernel may cap it (net.core.somaxconn).
constexpr int kBacklog = 4096;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<Addresses> resolve(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error == 0) return Addresses(found, &::freeaddrinfo);
  return fail(Fault::argument, "cannot resolve host '" + host + "': " + ::gai_strerror(error));
}

Result<FileDescriptor> bind_and_listen(const addrinfo& address, const std::string& name) {
  FileDescriptor socket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  if (!socket) return system_error(name, "cannot open a socket");
  // Allows a restart while connections of the previous process are in TIME_WAIT.
  static_cast<void>(::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes));
  if (::bind(socket.number(), address.ai_addr, address.ai_addrlen) != 0 ||
      ::listen(socket.number(), kBacklog) != 0) {
    return system_error(name, "cannot listen on this address");
  }
  return socket;
}

bool is_loopback(const std::string& ip) { return ip == "::1" || ip.starts_with("127."); }

}  // namespace

Result<Listener> listen_at(const std::string& host, int port) {
  SKIM_ASSIGN_OR_RETURN(const auto addresses, resolve(host, port));
  SKIM_ASSIGN_OR_RETURN(auto socket,
                        bind_and_listen(*addresses, host + ":" + std::to_string(port)));
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  std::array<char, NI_MAXHOST> number{};
  std::array<char, NI_MAXSERV> service{};
  auto* address = reinterpret_cast<sockaddr*>(&name);
  if (::getsockname(socket.number(), address, &size) != 0 ||
      ::getnameinfo(address, size, number.data(), number.size(), service.data(), service.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return fail(Fault::io, host + ": cannot determine the address of the listening socket");
  }
  const std::string ip = number.data();
  const std::string bracketed = ip.find(':') == std::string::npos ? ip : "[" + ip + "]";
  return Listener{std::move(socket), bracketed + ":" + service.data(), is_loopback(ip)};
}

}  // namespace skim::server
