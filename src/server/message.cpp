#include "server/message.h"

#include <array>
#include <ctime>

#include "base/json_text.h"

namespace skim::server {
namespace {

constexpr std::array kReasonPhrases = {
    std::pair{200, std::string_view("OK")},
    std::pair{204, std::string_view("No Content")},
    std::pair{304, std::string_view("Not Modified")},
    std::pair{400, std::string_view("Bad Request")},
    std::pair{401, std::string_view("Unauthorized")},
    std::pair{404, std::string_view("Not Found")},
    std::pair{405, std::string_view("Method Not Allowed")},
    std::pair{408, std::string_view("Request Timeout")},
    std::pair{413, std::string_view("Content Too Large")},
    std::pair{415, std::string_view("Unsupported Media Type")},
    std::pair{417, std::string_view("Expectation Failed")},
    std::pair{421, std::string_view("Misdirected Request")},
    std::pair{422, std::string_view("Unprocessable Content")},
    std::pair{431, std::string_view("Request Header Fields Too Large")},
    std::pair{500, std::string_view("Internal Server Error")},
    std::pair{501, std::string_view("Not Implemented")},
    std::pair{503, std::string_view("Service Unavailable")},
    std::pair{505, std::string_view("HTTP Version Not Supported")},
};

// The current time as "Sun, 06 Nov 1994 08:49:37 GMT", independent of the locale.
std::string http_date() {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  const auto two = [](int value) {
    return std::string(1, static_cast<char>('0' + value / 10)) +
           static_cast<char>('0' + value % 10);
  };
  return std::string(kDays.at(static_cast<std::size_t>(parts.tm_wday))) + ", " +
         two(parts.tm_mday) + " " + kMonths.at(static_cast<std::size_t>(parts.tm_mon)) + " " +
         std::to_string(1900 + parts.tm_year) + " " + two(parts.tm_hour) + ":" + two(parts.tm_min) +
         ":" + two(parts.tm_sec) + " GMT";
}

}  // namespace

std::string_view reason_phrase(int status) {
  for (const auto& [each, reason] : kReasonPhrases) {
    if (each == status) return reason;
  }
  return "Unknown";
}

void append_error(std::string& out, const HttpError& error) {
  out += "{\"error\":{\"status\":";
  append_json(out, error.status);
  out += ",\"message\":";
  append_json(out, std::string_view(error.message));
  if (!error.field.empty()) {
    out += ",\"field\":";
    append_json(out, std::string_view(error.field));
  }
  out += "}}";
}

Response error_response(const HttpError& error) {
  Response response;
  response.status = error.status;
  append_error(response.body, error);
  if (error.status == 503) response.headers.emplace_back("Retry-After", "1");
  if (error.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

std::string serialize_head(const Response& response, Persistence persistence) {
  std::string head;
  head.reserve(512);
  head.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  head.append(reason_phrase(response.status)).append("\r\nDate: ").append(http_date());
  // RFC 9110: a 204 has no Content-Length; that of a 304 would be the length of the 200 response.
  if (response.status != 204 && response.status != 304) {
    head.append("\r\nContent-Length: ").append(std::to_string(response.content().size()));
  }
  if (!response.content_type.empty())
    head.append("\r\nContent-Type: ").append(response.content_type);
  if (persistence == Persistence::close) head.append("\r\nConnection: close");
  for (const auto& [name, value] : response.headers) {
    head.append("\r\n").append(name).append(": ").append(value);
  }
  return head.append("\r\nX-Content-Type-Options: nosniff\r\n\r\n");
}

}  // namespace skim::server
