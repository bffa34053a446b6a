// Maps requests to endpoints and executes them. Independent of sockets.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "server/message.h"
#include "server/metrics.h"
#include "server/model_registry.h"
#include "server/server_options.h"
#include "server/worker_context.h"

namespace skim::server {

// The routing decision for one request, authentication included.
struct RouteMatch {
  enum class Action {
    execute,
    preflight,
    not_found,
    misdirected,
    unauthorized,
    method_not_allowed
  };

  Action action = Action::not_found;
  Route route = Route::other;
  std::string_view method = {};  // that the endpoint accepts: GET (which includes HEAD) or POST

  // Whether the request runs inference and therefore needs a worker thread. All others are cheap
  // and are executed immediately, even while every worker thread is busy.
  bool needs_worker() const { return action == Action::execute && method == "POST"; }
};

// Thread-safe. Borrows options, models and metrics.
class Router {
 public:
  Router(const ServerOptions& options, const ModelRegistry& models, Metrics& metrics)
      : options_(options),
        models_(models),
        metrics_(metrics),
        budget_(options.limits.pending_bytes, metrics.pending_response_bytes) {}

  // Decides once per request which endpoint it is for and whether the client may use it.
  RouteMatch route(const Request& request) const;

  // The response to a request that is rejected before it is executed.
  Response reject(const HttpError& error, Route route) const;

  // Whether a request may be read together with others: a short one for POST /v1/read, if a model
  // gains from it.
  bool may_join(const RouteMatch& match, const Request& request) const;

  // Executes the decision. `context` may be null unless match.needs_worker(). Never throws.
  Response execute(const RouteMatch& match, const Request& request, WorkerContext* context,
                   Outcome& outcome) const;

  // Builds a response, and sets the outcome.
  using BuildResponse = std::function<Response(Outcome&)>;
  // Executes requests that may join, at most ReadGroup::kMaxRequests, together. When all texts have
  // been read, calls `respond` for each index, which builds one response at a time. Throws only
  // what `respond` throws.
  void execute_together(
      std::span<const Request* const> requests, WorkerContext& context,
      const std::function<void(std::size_t, const BuildResponse&)>& respond) const;

 private:
  bool is_for_this_host(const Request& request) const;
  bool is_authorized(const Request& request) const;
  void add_common_headers(Response& response, Route route) const;
  // Turns exceptions into error responses.
  template <class Build>
  Response build_response(Route route, const Build& build) const;
  Response execute_action(const RouteMatch& match, const Request& request, WorkerContext* context,
                          Outcome& outcome) const;
  Response handle_post(const RouteMatch& match, const Request& request, WorkerContext& context,
                       Outcome& outcome) const;
  Response handle_get(const RouteMatch& match, const Request& request) const;
  Response list_models() const;
  std::string allowed_methods(const RouteMatch& match) const;
  Response preflight(const RouteMatch& match) const;
  static Response misdirected(const Request& request);
  Response method_not_allowed(const RouteMatch& match, const Request& request) const;

  const ServerOptions& options_;
  const ModelRegistry& models_;
  const Metrics& metrics_;
  ResponseBudget budget_;
};

// Compares two strings in a time that does not depend on where they differ.
bool equal_in_constant_time(std::string_view given, std::string_view expected);

}  // namespace skim::server
