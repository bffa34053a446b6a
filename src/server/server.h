// The HTTP server.
#pragma once

#include "base/file_descriptor.h"
#include "server/access_log.h"
#include "server/metrics.h"
#include "server/server_options.h"
#include "skim/result.h"

namespace skim::server {

struct ServerState {
  const ServerOptions& options;
  Metrics& metrics;
  AccessLog& log;
  FileDescriptor listener;  // non-blocking
  int stop = -1;            // a descriptor; becoming readable requests a graceful shutdown
  int threads = 1;          // worker threads
};

// Serves requests and blocks until the shutdown is complete: after a stop request no connection is
// accepted, and open connections are closed once their requests are answered.
Result<void> serve(ServerState state);

}  // namespace skim::server
