// A request and its answer, without sockets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skim::server {

struct Header {
  std::string_view name;  // lower case
  std::string_view value;
};

// Views into the bytes that came.
struct Request {
  std::string_view method;
  std::string_view path;  // without the query
  std::vector<Header> headers;
  std::string_view body;

  // Empty when there is none. `name` in lower case.
  std::string_view header(std::string_view name) const {
    for (const Header& each : headers) {
      if (each.name == name) return each.value;
    }
    return {};
  }
};

// What requests are counted by.
enum class Route { page, models, read, batch, health, metrics, description, other };

struct Response {
  int status = 200;
  std::string_view type = "application/json";  // empty: there is no body
  std::string body;
  std::string_view lasting_body = {};  // in place of `body`: bytes that outlive the server
  std::vector<std::pair<std::string_view, std::string>> headers = {};

  std::string_view content() const { return lasting_body.data() != nullptr ? lasting_body : body; }
};

// What a request came to, for the log and the counters.
struct Outcome {
  Route route = Route::other;
  std::string_view model = {};  // lasts as long as the server
  std::uint64_t texts = 0;
  std::uint64_t words = 0;
  std::uint64_t words_read = 0;
};

// Why a request is not answered as asked.
struct Refusal {
  int status = 400;
  std::string message;
  std::string field = {};  // of the body, where one is to blame
};

// {"error": {"status", "message", "field"}}; the field only where there is one.
void append_error(std::string& out, const Refusal& refusal);
Response refused(const Refusal& refusal);

// "Not Found"
std::string_view reason_of(int status);

// Status line and headers. `close` announces that the connection ends with this answer.
enum class After { keep_open, close };
std::string head_of(const Response& response, After after);

}  // namespace skim::server
