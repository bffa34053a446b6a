// The server itself: connections in, answers out, until it is told to stop.
#pragma once

#include "base/descriptor.h"
#include "server/access_log.h"
#include "server/metrics.h"
#include "server/routes.h"
#include "skim/result.h"

namespace skim::server {

struct Running {
  const Site& site;
  Metrics& metrics;
  AccessLog& log;
  Descriptor listener;  // does not block
  int stop = -1;        // readable: stop
  int threads = 1;      // that read texts
};

// Runs on the caller's thread. Once `stop` is readable no connection is accepted, and those that
// are open are closed as soon as they are answered; it returns when that is done.
Result<void> serve(Running running);

}  // namespace skim::server
