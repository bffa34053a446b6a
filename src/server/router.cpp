#include "server/router.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <string>

#include "base/json.h"
#include "server/field_syntax.h"
#include "server/page.h"
#include "server/read_handlers.h"
#include "skim/version.h"
#include "wire/model_json.h"

namespace skim::server {
namespace {

using Action = RouteMatch::Action;

constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

enum class Access { open, token };

struct Endpoint {
  std::string_view path;
  std::string_view method;
  Route route;
  Access access;
};
constexpr std::array kEndpoints = {
    Endpoint{"/v1/read", "POST", Route::read, Access::token},
    Endpoint{"/v1/read/batch", "POST", Route::batch, Access::token},
    Endpoint{"/v1/models", "GET", Route::models, Access::token},
    Endpoint{"/v1/openapi.json", "GET", Route::openapi, Access::token},
    Endpoint{"/metrics", "GET", Route::metrics, Access::token},
    Endpoint{"/healthz", "GET", Route::health, Access::open},
};

const PageFile* find_page(std::string_view path) {
  for (const PageFile& file : page_files()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

std::optional<Endpoint> find_endpoint(std::string_view path) {
  const auto found = std::find_if(kEndpoints.begin(), kEndpoints.end(),
                                  [path](const Endpoint& each) { return each.path == path; });
  if (found != kEndpoints.end()) return *found;
  if (find_page(path) != nullptr) return Endpoint{path, "GET", Route::page, Access::open};
  return std::nullopt;
}

Response serve_page(const Request& request) {
  const PageFile& file = *find_page(request.path);
  Response response;
  response.headers = {{"ETag", std::string(file.etag)},
                      {"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", std::string(kContentSecurityPolicy)},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.header("if-none-match").find(file.etag) != std::string_view::npos) {
    response.status = 304;
    response.content_type = {};
    return response;
  }
  response.content_type = file.type;
  response.static_body = file.bytes;
  return response;
}

}  // namespace

RouteMatch Router::route(const Request& request) const {
  const auto endpoint = find_endpoint(request.path);
  RouteMatch match;
  if (endpoint) match = {Action::execute, endpoint->route, endpoint->method};
  if (!is_for_this_host(request)) {
    match.action = Action::misdirected;
    return match;
  }
  if (!endpoint) return match;
  const bool is_head = request.method == "HEAD" && endpoint->method == "GET";
  if (request.method == "OPTIONS" && !options_.cors_origin.empty()) {
    match.action = Action::preflight;
  } else if (endpoint->access == Access::token && !is_authorized(request)) {
    match.action = Action::unauthorized;
  } else if (request.method != endpoint->method && !is_head) {
    match.action = Action::method_not_allowed;
  }
  return match;
}

// A request without a host (HTTP/1.0) is not from a browser.
bool Router::is_for_this_host(const Request& request) const {
  return !request.host || options_.hosts.allows(*request.host);
}

bool Router::is_authorized(const Request& request) const {
  if (options_.token.empty()) return true;
  const std::string_view credentials = request.header("authorization");
  const std::size_t scheme = std::min(credentials.find(' '), credentials.size());
  if (!equals_ignoring_case(credentials.substr(0, scheme), "bearer")) return false;
  return equal_in_constant_time(trim(credentials.substr(scheme)), options_.token);
}

void Router::add_common_headers(Response& response, Route route) const {
  if (route != Route::page) response.headers.emplace_back("Cache-Control", "no-store");
  if (options_.cors_origin.empty()) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", options_.cors_origin);
  response.headers.emplace_back("Vary", "Origin");
}

Response Router::reject(const HttpError& error, Route route) const {
  Response response = error_response(error);
  add_common_headers(response, route);
  return response;
}

bool Router::may_join(const RouteMatch& match, const Request& request) const {
  return match.needs_worker() && match.route == Route::read &&
         request.body.size() <= TextGroup::kMaxTextBytes && models_.reads_together();
}

// The only exception boundary of the server: an exception would end the process.
template <class Build>
Response Router::build_response(Route route, const Build& build) const {
  Response response;
  try {
    response = build();
  } catch (const std::bad_alloc&) {
    response = error_response({503, "out of memory; try a shorter text, or try again later"});
  } catch (...) {
    response = error_response({500, "internal server error"});
  }
  add_common_headers(response, route);
  return response;
}

Response Router::execute(const RouteMatch& match, const Request& request, WorkerContext* context,
                         Outcome& outcome) const {
  outcome.route = match.route;
  return build_response(match.route,
                        [&] { return execute_action(match, request, context, outcome); });
}

void Router::execute_together(
    std::span<const Request* const> requests, WorkerContext& context,
    const std::function<void(std::size_t, const BuildResponse&)>& respond) const {
  // One set of models for the whole group, as for a single request.
  const std::shared_ptr<ModelSet> models = models_.current();
  const HandlerContext handler{options_, models_, *models, budget_, context};
  const ReadGroup group(handler, requests);
  // A request that is handled by itself must not delay the responses of the others.
  for (const bool read : {true, false}) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (group.has_read(i) != read) continue;
      respond(i, [&](Outcome& outcome) {
        outcome.route = Route::read;
        return build_response(Route::read, [&] { return group.respond(i, outcome); });
      });
    }
  }
}

Response Router::execute_action(const RouteMatch& match, const Request& request,
                                WorkerContext* context, Outcome& outcome) const {
  switch (match.action) {
    case Action::not_found:
      return error_response({404, "there is nothing at this path; docs/http.md lists all paths"});
    case Action::misdirected:
      return misdirected(request);
    case Action::preflight:
      return preflight(match);
    case Action::unauthorized:
      return error_response({401, "expected the header Authorization: Bearer TOKEN"});
    case Action::method_not_allowed:
      return method_not_allowed(match, request);
    case Action::execute:
      break;
  }
  if (match.method == "POST") return handle_post(match, request, *context, outcome);
  return handle_get(match, request);
}

Response Router::handle_post(const RouteMatch& match, const Request& request,
                             WorkerContext& context, Outcome& outcome) const {
  // Keeps the models until the response is complete, even if they are replaced meanwhile.
  const std::shared_ptr<ModelSet> models = models_.current();
  const HandlerContext handler{options_, models_, *models, budget_, context};
  return match.route == Route::read ? handle_read(handler, request, outcome)
                                    : handle_batch(handler, request, outcome);
}

Response Router::handle_get(const RouteMatch& match, const Request& request) const {
  Response response;
  if (match.route == Route::page) return serve_page(request);
  if (match.route == Route::models) return list_models();
  if (match.route == Route::openapi) {
    response.static_body = api_description();
  } else if (match.route == Route::metrics) {
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metrics_.exposition();
  } else {
    response.body = "{\"status\":\"ok\"}";
  }
  return response;
}

Response Router::list_models() const {
  const std::shared_ptr<ModelSet> models = models_.current();
  Json list = Json::array();
  for (std::size_t i = 0; i < models->size(); ++i) {
    list.push_back(describe_model(models->model(i), models_.names()[i]));
  }
  const Json limits = {{"text_bytes", options_.limits.text_bytes},
                       {"question_bytes", options_.limits.question_bytes},
                       {"body_bytes", options_.limits.body_bytes},
                       {"batch", options_.limits.batch}};
  Response response;
  response.body = to_text({{"models", std::move(list)},
                           {"default", models_.names().front()},
                           {"limits", limits},
                           {"version", SKIM_VERSION}});
  return response;
}

std::string Router::allowed_methods(const RouteMatch& match) const {
  const std::string methods = match.method == "GET" ? "GET, HEAD" : "POST";
  return methods + (options_.cors_origin.empty() ? "" : ", OPTIONS");
}

Response Router::misdirected(const Request& request) {
  const std::string host(request.host.value_or("").substr(0, 80));
  return error_response({421, "this server does not answer for the host '" + host +
                                  "'; `skim serve --allow-host NAME` allows further hosts"});
}

Response Router::method_not_allowed(const RouteMatch& match, const Request& request) const {
  Response response = error_response({405, "method " + std::string(request.method.substr(0, 32)) +
                                               " is not allowed for " + std::string(request.path) +
                                               "; expected " + allowed_methods(match)});
  response.headers.emplace_back("Allow", allowed_methods(match));
  return response;
}

// The CORS preflight: a browser asks whether a page of another origin may send the request.
Response Router::preflight(const RouteMatch& match) const {
  Response response;
  response.status = 204;
  response.content_type = {};
  response.headers = {{"Access-Control-Allow-Methods", allowed_methods(match)},
                      {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                      {"Access-Control-Max-Age", "600"}};
  return response;
}

bool equal_in_constant_time(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char against = expected.empty() ? '\0' : expected[i % expected.size()];
    difference |= static_cast<unsigned>(given[i] ^ against);
  }
  return difference == 0;
}

}  // namespace skim::server
