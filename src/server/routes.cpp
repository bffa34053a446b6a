#include "server/routes.h"

#include <algorithm>
#include <array>
#include <new>

#include "base/json.h"
#include "server/page.h"
#include "server/read_routes.h"
#include "wire/model_json.h"

namespace skim::server {
namespace {

constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

enum class Guard { open, token };

struct Entry {
  std::string_view path;
  std::string_view method;
  Route route;
  Guard guard;
};
constexpr std::array kEntries = {
    Entry{"/v1/read", "POST", Route::read, Guard::token},
    Entry{"/v1/read/batch", "POST", Route::batch, Guard::token},
    Entry{"/v1/models", "GET", Route::models, Guard::token},
    Entry{"/v1/openapi.json", "GET", Route::description, Guard::token},
    Entry{"/metrics", "GET", Route::metrics, Guard::token},
    Entry{"/healthz", "GET", Route::health, Guard::open},
};

const PageFile* find_page(std::string_view path) {
  for (const PageFile& file : page_files()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

std::optional<Entry> find_entry(std::string_view path) {
  const auto found = std::find_if(kEntries.begin(), kEntries.end(),
                                  [path](const Entry& each) { return each.path == path; });
  if (found != kEntries.end()) return *found;
  if (find_page(path) != nullptr) return Entry{path, "GET", Route::page, Guard::open};
  return std::nullopt;
}

Response models(const Site& site) {
  Json list = Json::array();
  for (const Served& each : site.models) list.push_back(model_json(each.model, each.name));
  const Json limits = {{"text_bytes", site.limits.text_bytes},
                       {"question_bytes", site.limits.question_bytes},
                       {"body_bytes", site.limits.body_bytes},
                       {"batch", site.limits.batch}};
  Response response;
  response.body = to_text({{"models", std::move(list)},
                           {"default", site.models.front().name},
                           {"limits", limits},
                           {"version", SKIM_VERSION}});
  return response;
}

Response page(const Request& request) {
  const PageFile& file = *find_page(request.path);
  Response response;
  response.headers = {{"ETag", std::string(file.etag)},
                      {"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", std::string(kPagePolicy)},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.header("if-none-match").find(file.etag) != std::string_view::npos) {
    response.status = 304;
    response.type = {};
    return response;
  }
  response.type = file.type;
  response.lasting_body = file.bytes;
  return response;
}

Response quick_answer(const Site& site, const Metrics& metrics, const Request& request,
                      Route route) {
  Response response;
  if (route == Route::page) return page(request);
  if (route == Route::models) return models(site);
  if (route == Route::description) {
    response.lasting_body = api_description();
  } else if (route == Route::metrics) {
    response.type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metrics.text();
  } else {
    response.body = "{\"status\":\"ok\"}";
  }
  return response;
}

bool may_enter(const Site& site, const Request& request, const Entry& entry) {
  constexpr std::string_view kScheme = "Bearer ";
  if (site.token.empty() || entry.guard == Guard::open) return true;
  const std::string_view shown = request.header("authorization");
  return shown.starts_with(kScheme) &&
         equal_in_constant_time(shown.substr(kScheme.size()), site.token);
}

std::string allowed(const Site& site, const Entry& entry) {
  std::string methods = entry.method == "GET" ? "GET, HEAD" : "POST";
  return methods + (site.cors.empty() ? "" : ", OPTIONS");
}

Response wrong_method(const Site& site, const Request& request, const Entry& entry) {
  Response response = refused({405, std::string(request.path) + " takes " + allowed(site, entry)});
  response.headers.emplace_back("Allow", allowed(site, entry));
  return response;
}

// What a browser asks before it lets a page of another origin send a request.
Response preflight(const Site& site, const Entry& entry) {
  Response response;
  response.status = 204;
  response.type = {};
  response.headers = {{"Access-Control-Allow-Methods", allowed(site, entry)},
                      {"Access-Control-Allow-Headers", "Authorization, Content-Type"},
                      {"Access-Control-Max-Age", "600"}};
  return response;
}

Response answer_entry(const Site& site, const Metrics& metrics, const Request& request, Desk* desk,
                      Outcome& outcome) {
  const auto entry = find_entry(request.path);
  if (!entry) return refused({404, "there is nothing at this path; docs/http.md lists what is"});
  outcome.route = entry->route;
  if (request.method == "OPTIONS" && !site.cors.empty()) return preflight(site, *entry);
  if (!may_enter(site, request, *entry)) {
    return refused({401, "this needs the header Authorization: Bearer TOKEN"});
  }
  const bool head = request.method == "HEAD" && entry->method == "GET";
  if (request.method != entry->method && !head) return wrong_method(site, request, *entry);
  if (entry->method == "GET") return quick_answer(site, metrics, request, entry->route);
  if (entry->route == Route::read) return answer_read(site, request, *desk, outcome);
  return answer_batch(site, request, *desk, outcome);
}

}  // namespace

bool needs_desk(const Site& site, const Request& request) {
  const auto entry = find_entry(request.path);
  return entry && entry->method == "POST" && request.method == "POST" &&
         may_enter(site, request, *entry);
}

Route route_of(const Request& request) {
  const auto entry = find_entry(request.path);
  return entry ? entry->route : Route::other;
}

Response answer(const Site& site, const Metrics& metrics, const Request& request, Desk* desk,
                Outcome& outcome) {
  Response response;
  // Nothing may escape a thread.
  try {
    response = answer_entry(site, metrics, request, desk, outcome);
  } catch (const std::bad_alloc&) {
    response = refused({503, "out of memory; try a shorter text, or later"});
  } catch (...) {
    response = refused({500, "this should not have happened"});
  }
  if (outcome.route != Route::page) response.headers.emplace_back("Cache-Control", "no-store");
  if (!site.cors.empty()) {
    response.headers.emplace_back("Access-Control-Allow-Origin", site.cors);
    response.headers.emplace_back("Vary", "Origin");
  }
  return response;
}

bool equal_in_constant_time(std::string_view one, std::string_view other) {
  unsigned difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const char against = other.empty() ? '\0' : other[i % other.size()];
    difference |= static_cast<unsigned>(one[i] ^ against);
  }
  return difference == 0;
}

}  // namespace skim::server
