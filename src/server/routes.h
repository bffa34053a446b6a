// What the server answers: a request in, an answer out. No sockets and no files are touched here.
#pragma once

#include <string>
#include <vector>

#include "server/limits.h"
#include "server/message.h"
#include "server/metrics.h"
#include "server/pool.h"

namespace skim::server {

// What does not change while the server runs.
struct Site {
  std::vector<Served> models;  // at least one; the first one answers when none is named
  Limits limits;
  std::string token;  // what clients must show; empty: nothing
  std::string cors;   // the origin whose pages may ask, or *; empty: none
};

// Whether the request must wait for a desk: all that reads texts, if its sender may ask for it. The
// others take no time worth speaking of and are answered even when every desk is taken.
bool needs_desk(const Site& site, const Request& request);
Route route_of(const Request& request);

// `desk` may be null when needs_desk says so.
Response answer(const Site& site, const Metrics& metrics, const Request& request, Desk* desk,
                Outcome& outcome);

// Whether the strings are equal, in a time that does not tell where they differ.
bool equal_in_constant_time(std::string_view one, std::string_view other);

}  // namespace skim::server
