#include "train/rendezvous_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <thread>

namespace skim::train {
namespace {

constexpr std::chrono::milliseconds kStopInterval(100);
constexpr std::chrono::milliseconds kRetryInterval(50);
// Received at once: a program that sends without end does not occupy us for longer.
constexpr int kMaxBlocks = 16;

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The addresses of a host. On failure none, and `error` is the code of getaddrinfo.
Addresses resolve(const char* host, int port, const addrinfo& hints, int& error) {
  addrinfo* found = nullptr;
  error = getaddrinfo(host, std::to_string(port).c_str(), &hints, &found);
  return {error == 0 ? found : nullptr, freeaddrinfo};
}

FileDescriptor open_socket(const addrinfo& address) {
  return FileDescriptor(
      ::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

FileDescriptor listen_at_address(const addrinfo& address) {
  FileDescriptor socket = open_socket(address);
  if (!socket) return socket;
  const int yes = 1, no = 0;
  // Otherwise a group could not start again at once on the same port.
  setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.ai_family == AF_INET6)
    setsockopt(socket.number(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (bind(socket.number(), address.ai_addr, address.ai_addrlen) == 0 &&
      listen(socket.number(), SOMAXCONN) == 0)
    return socket;
  return FileDescriptor();
}

// Listens at the address of `host`, or at all addresses of a family if it is null. On failure the
// descriptor is invalid and errno says why.
FileDescriptor try_listen(const char* host, int port, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = host != nullptr ? AI_NUMERICHOST : AI_PASSIVE;
  int error = 0;
  const Addresses found = resolve(host, port, hints, error);
  if (found) return listen_at_address(*found);
  errno = EADDRNOTAVAIL;
  return FileDescriptor();
}

// Whether a socket is connected to itself: the kernel may give a connecting socket the very port
// that nobody listens at.
bool is_connected_to_itself(const FileDescriptor& socket) {
  sockaddr_storage own{}, peer{};
  socklen_t own_size = sizeof own, peer_size = sizeof peer;
  return getsockname(socket.number(), reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
         getpeername(socket.number(), reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0 &&
         own_size == peer_size && std::memcmp(&own, &peer, own_size) == 0;
}

bool poll_for(const FileDescriptor& socket, short events, const Deadline& deadline) {
  while (!deadline.passed()) {
    pollfd wanted{socket.number(), events, 0};
    if (poll(&wanted, 1, deadline.poll_milliseconds()) > 0) return true;
  }
  return false;
}

bool connect_within(const FileDescriptor& socket, const addrinfo& address,
                    const Deadline& deadline) {
  if (connect(socket.number(), address.ai_addr, address.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS || !poll_for(socket, POLLOUT, deadline)) return false;
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

}  // namespace

Deadline::Deadline(const Patience& patience)
    : end_(std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(patience.seconds))),
      stop_(patience.stop) {}

bool Deadline::stopped() const { return stop_ != nullptr && stop_->load(); }
bool Deadline::passed() const { return stopped() || std::chrono::steady_clock::now() >= end_; }

int Deadline::poll_milliseconds() const {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kStopInterval).count());
}

void Deadline::pause() const {
  std::this_thread::sleep_for(
      std::min(kRetryInterval, std::chrono::milliseconds(poll_milliseconds())));
}

Result<FileDescriptor> listen_at(const std::string& address, int port) {
  FileDescriptor socket = try_listen(address.c_str(), port, AF_UNSPEC);
  for (const int family : {AF_INET6, AF_INET}) {
    // Not in use, but no address of this machine, or no IPv6.
    if (!socket && errno != EADDRINUSE) socket = try_listen(nullptr, port, family);
  }
  if (socket) return socket;
  const int error = errno;
  return fail(
      Fault::io,
      "cannot listen at port " + std::to_string(port) + ": " +
          std::generic_category().message(error) +
          (error == EADDRINUSE ? "; another program uses it, set MASTER_PORT to a free one" : ""));
}

std::optional<FileDescriptor> accept_from(const FileDescriptor& listener) {
  FileDescriptor socket(accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket) return std::nullopt;
  return socket;
}

Result<std::optional<FileDescriptor>> try_connect(const std::string& address, int port,
                                                  const Deadline& deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  int error = 0;
  const Addresses found = resolve(address.c_str(), port, hints, error);
  if (error != 0 && error != EAI_AGAIN)
    return fail(Fault::io, "MASTER_ADDR=" + address + ": " + gai_strerror(error));
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    FileDescriptor socket = open_socket(*each);
    if (socket && connect_within(socket, *each, deadline) && !is_connected_to_itself(socket))
      return socket;
  }
  return std::nullopt;
}

bool send_all(const FileDescriptor& socket, std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      return false;
    } else if (!poll_for(socket, POLLOUT, deadline)) {
      return false;
    }
  }
  return true;
}

bool receive_available(const FileDescriptor& socket, std::string& into) {
  std::array<char, 65536> block;
  for (int i = 0; i < kMaxBlocks; ++i) {
    const ssize_t got = ::recv(socket.number(), block.data(), block.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    into.append(block.data(), static_cast<std::size_t>(got));
  }
  return true;
}

bool wait_readable(const FileDescriptor& socket, const Deadline& deadline) {
  return poll_for(socket, POLLIN, deadline);
}

}  // namespace skim::train
