// The socket that clients connect to.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "skim/result.h"

namespace skim::server {

struct Listener {
  Descriptor socket;
  std::string address;    // "127.0.0.1:8080", "[::1]:8080"
  bool loopback = false;  // nobody but this machine can reach it
};

// Port 0 picks a free one.
Result<Listener> listen_at(const std::string& host, int port);

}  // namespace skim::server
