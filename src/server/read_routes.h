// POST /v1/read and /v1/read/batch.
#pragma once

#include "server/message.h"
#include "server/pool.h"

namespace skim::server {

struct Site;

Response answer_read(const Site& site, const Request& request, Desk& desk, Outcome& outcome);
Response answer_batch(const Site& site, const Request& request, Desk& desk, Outcome& outcome);

}  // namespace skim::server
