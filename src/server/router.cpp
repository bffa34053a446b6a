#include "server/router.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <string>

#include "base/json.h"
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
  if (!endpoint) return {};
  RouteMatch match{Action::execute, endpoint->route, endpoint->method};
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

bool Router::is_authorized(const Request& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  if (options_.token.empty()) return true;
  const std::string_view credentials = request.header("authorization");
  return credentials.starts_with(kScheme) &&
         equal_in_constant_time(credentials.substr(kScheme.size()), options_.token);
}

Response Router::execute(const RouteMatch& match, const Request& request, WorkerContext* context,
                         Outcome& outcome) const {
  outcome.route = match.route;
  Response response;
  // The only exception boundary of the server: an exception would end the process.
  try {
    response = execute_action(match, request, context, outcome);
  } catch (const std::bad_alloc&) {
    response = error_response({503, "out of memory; try a shorter text, or try again later"});
  } catch (...) {
    response = error_response({500, "internal server error"});
  }
  if (match.route != Route::page) response.headers.emplace_back("Cache-Control", "no-store");
  if (!options_.cors_origin.empty()) {
    response.headers.emplace_back("Access-Control-Allow-Origin", options_.cors_origin);
    response.headers.emplace_back("Vary", "Origin");
  }
  return response;
}

Response Router::execute_action(const RouteMatch& match, const Request& request,
                                WorkerContext* context, Outcome& outcome) const {
  switch (match.action) {
    case Action::not_found:
      return error_response({404, "there is nothing at this path; docs/http.md lists all paths"});
    case Action::preflight:
      return preflight(match);
    case Action::unauthorized:
      return error_response({401, "expected the header Authorization: Bearer TOKEN"});
    case Action::method_not_allowed:
      return method_not_allowed(match, request);
    case Action::execute:
      break;
  }
  if (match.route == Route::read) return handle_read(options_, request, *context, outcome);
  if (match.route == Route::batch) return handle_batch(options_, request, *context, outcome);
  return handle_get(match, request);
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
  Json list = Json::array();
  for (const ServedModel& each : options_.models) {
    list.push_back(describe_model(each.model, each.name));
  }
  const Json limits = {{"text_bytes", options_.limits.text_bytes},
                       {"question_bytes", options_.limits.question_bytes},
                       {"body_bytes", options_.limits.body_bytes},
                       {"batch", options_.limits.batch}};
  Response response;
  response.body = to_text({{"models", std::move(list)},
                           {"default", options_.models.front().name},
                           {"limits", limits},
                           {"version", SKIM_VERSION}});
  return response;
}

std::string Router::allowed_methods(const RouteMatch& match) const {
  const std::string methods = match.method == "GET" ? "GET, HEAD" : "POST";
  return methods + (options_.cors_origin.empty() ? "" : ", OPTIONS");
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
