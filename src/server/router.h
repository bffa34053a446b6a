// Maps requests to endpoints and executes them. Independent of sockets.
#pragma once

#include <string_view>

#include "server/message.h"
#include "server/metrics.h"
#include "server/server_options.h"
#include "server/worker_context.h"

namespace skim::server {

// The routing decision for one request, authentication included.
struct RouteMatch {
  enum class Action { execute, preflight, not_found, unauthorized, method_not_allowed };

  Action action = Action::not_found;
  Route route = Route::other;
  std::string_view method = {};  // that the endpoint accepts: GET (which includes HEAD) or POST

  // Whether the request runs inference and therefore needs a worker thread. All others are cheap
  // and are executed immediately, even while every worker thread is busy.
  bool needs_worker() const { return action == Action::execute && method == "POST"; }
};

// Thread-safe. Borrows options and metrics.
class Router {
 public:
  Router(const ServerOptions& options, const Metrics& metrics)
      : options_(options), metrics_(metrics) {}

  // Decides once per request which endpoint it is for and whether the client may use it.
  RouteMatch route(const Request& request) const;

  // Executes the decision. `context` may be null unless match.needs_worker(). Never throws.
  Response execute(const RouteMatch& match, const Request& request, WorkerContext* context,
                   Outcome& outcome) const;

 private:
  bool is_authorized(const Request& request) const;
  Response execute_action(const RouteMatch& match, const Request& request, WorkerContext* context,
                          Outcome& outcome) const;
  Response handle_get(const RouteMatch& match, const Request& request) const;
  Response list_models() const;
  std::string allowed_methods(const RouteMatch& match) const;
  Response preflight(const RouteMatch& match) const;
  Response method_not_allowed(const RouteMatch& match, const Request& request) const;

  const ServerOptions& options_;
  const Metrics& metrics_;
};

// Compares two strings in a time that does not depend on where they differ.
bool equal_in_constant_time(std::string_view given, std::string_view expected);

}  // namespace skim::server
