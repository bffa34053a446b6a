// The handlers of POST /v1/read and POST /v1/read/batch.
#pragma once

#include "server/message.h"
#include "server/server_options.h"
#include "server/worker_context.h"

namespace skim::server {

Response handle_read(const ServerOptions& options, const Request& request, WorkerContext& context,
                     Outcome& outcome);
Response handle_batch(const ServerOptions& options, const Request& request, WorkerContext& context,
                      Outcome& outcome);

}  // namespace skim::server
