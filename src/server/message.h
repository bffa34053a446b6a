// HTTP requests and responses, independent of sockets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/response_budget.h"

namespace skim::server {

struct Header {
  std::string_view name;  // lower case
  std::string_view value;
};

// Views into the receive buffer.
struct Request {
  std::string_view method;
  std::string_view path;  // without the query string
  std::vector<Header> headers;
  std::string_view body;
  // Of the target in absolute form or else of the header, with an optional port; HTTP/1.0 requests
  // may have none.
  std::optional<std::string_view> host = {};

  // The value of a header, empty when it is missing. `name` must be in lower case.
  std::string_view header(std::string_view name) const {
    for (const Header& each : headers) {
      if (each.name == name) return each.value;
    }
    return {};
  }
};

// The endpoints, as metrics label them.
enum class Route { page, models, read, batch, health, metrics, openapi, other };

struct Response {
  int status = 200;
  std::string_view content_type = "application/json";  // empty: there is no body
  std::string body;
  std::string_view static_body = {};  // replaces `body`; must outlive the server
  std::vector<std::pair<std::string_view, std::string>> headers = {};
  ResponseBudget::Reservation reservation = {};  // for the memory of `body`

  std::string_view content() const { return static_body.data() != nullptr ? static_body : body; }
};

// What handling a request did, for the access log and the metrics.
struct Outcome {
  Route route = Route::other;
  std::string_view model = {};  // a name from ModelRegistry
  std::uint64_t texts = 0;
  std::uint64_t words = 0;
  std::uint64_t words_read = 0;
};

// An error response: status, message and, where one is invalid, the field of the request body.
struct HttpError {
  int status = 400;
  std::string message;
  std::string field = {};
};

// Appends {"error": {"status", "message", "field"}}; omits an empty field.
void append_error(std::string& out, const HttpError& error);
Response error_response(const HttpError& error);

// "Not Found"
std::string_view reason_phrase(int status);

// Whether the connection stays open after a response; `close` adds the header Connection: close.
enum class Persistence { keep_alive, close };
// Serializes the status line and the headers.
std::string serialize_head(const Response& response, Persistence persistence);

}  // namespace skim::server
