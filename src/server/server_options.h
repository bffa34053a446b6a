// The configuration of a server: limits and access control.
#pragma once

#include <string>

#include "server/host_filter.h"
#include "server/limits.h"

namespace skim::server {

// Immutable while the server runs.
struct ServerOptions {
  Limits limits;
  std::string token;        // required bearer token; empty: no authentication
  std::string cors_origin;  // allowed CORS origin, or *; empty: CORS is disabled
  HostFilter hosts = {};    // requests for other hosts get 421
};

}  // namespace skim::server
