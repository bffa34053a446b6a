// The HTTP server.
#pragma once

#include "base/file_descriptor.h"
#include "server/access_log.h"
#include "server/metrics.h"
#include "server/model_registry.h"
#include "server/server_options.h"
#include "skim/result.h"

namespace skim::server {

struct ServerState {
  const ServerOptions& options;
  const ModelRegistry& models;  // of which others may replace the models
  Metrics& metrics;
  AccessLog& log;
  FileDescriptor listener;  // non-blocking
  int stop = -1;            // a descriptor; becoming readable requests a graceful shutdown
};

// Raises the limit on open files to what the limit on connections requires, as far as the system
// permits it. Fails if that is not enough, and says what is. Call it before `serve`, and before
// clients are told that they can connect.
Result<void> reserve_descriptors(const Limits& limits);

// Serves requests and blocks until the shutdown is complete: after a stop request no connection is
// accepted, and open connections are closed once their requests are answered.
Result<void> serve(ServerState state);

}  // namespace skim::server
