// The listening TCP socket.
#pragma once

#include <string>

#include "base/file_descriptor.h"
#include "skim/result.h"

namespace skim::server {

struct Listener {
  FileDescriptor socket;
  std::string address;    // "127.0.0.1:8080", "[::1]:8080"
  bool loopback = false;  // reachable from this host only
};

// Binds and listens without blocking on accept. Port 0 selects a free port.
Result<Listener> listen_at(const std::string& host, int port);

}  // namespace skim::server
