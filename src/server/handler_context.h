// What the handlers of requests need besides the request.
#pragma once

#include "server/model_registry.h"
#include "server/response_budget.h"
#include "server/server_options.h"
#include "server/worker_context.h"

namespace skim::server {

// Borrows everything. `models` is the set that a request uses from start to end; `registry` has the
// names of its models.
struct HandlerContext {
  const ServerOptions& options;
  const ModelRegistry& registry;
  ModelSet& models;
  const ResponseBudget& budget;
  WorkerContext& worker;
};

}  // namespace skim::server
