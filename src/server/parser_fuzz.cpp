// Fuzzes RequestParser with the bytes of a connection: pipelined requests must be parsed alike
// however the bytes are split, and a chunked body like one of known length. The first byte selects
// a way to split.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "server/parser.h"
#include "tests/support/fuzz.h"

namespace {

using skim::fuzz::require;
using skim::server::Header;
using skim::server::Limits;
using skim::server::Request;
using skim::server::RequestParser;
using State = RequestParser::State;

// Small, so that short inputs reach them.
Limits small_limits() {
  Limits limits;
  limits.head_bytes = 256;
  limits.headers = 8;
  limits.body_bytes = 64;
  return limits;
}

void append(std::string& transcript, std::string_view part) { transcript.append(part) += '\n'; }

void append(std::string& transcript, const Request& request) {
  append(transcript, request.method);
  append(transcript, request.path);
  for (const Header& header : request.headers) {
    append(transcript, header.name);
    append(transcript, header.value);
  }
  append(transcript, request.body);
}

bool is_framing(const Header& header) {
  return header.name == "content-length" || header.name == "transfer-encoding";
}

// The same request with Content-Length; empty when it would exceed a limit or is HTTP/1.0.
std::string rewrite(const Request& request) {
  std::string text;
  text.append(request.method).append(" ").append(request.path).append(" HTTP/1.1\r\n");
  std::size_t headers = 1;
  for (const Header& header : request.headers) {
    if (is_framing(header)) continue;
    text.append(header.name).append(":").append(header.value).append("\r\n");
    ++headers;
  }
  text += "content-length: " + std::to_string(request.body.size()) + "\r\n\r\n";
  const Limits limits = small_limits();
  const bool possible = !request.header("host").empty() && text.size() <= limits.head_bytes &&
                        headers <= limits.headers;
  return possible ? text.append(request.body) : std::string();
}

void check_rewritten(const Request& request) {
  std::string buffer = rewrite(request);
  if (buffer.empty()) return;
  RequestParser parser(small_limits());
  require(parser.advance(buffer) == State::complete, "a parsed request can be sent again");
  const Request& again = parser.request();
  require(again.method == request.method && again.path == request.path &&
              again.body == request.body && !parser.has_more(buffer),
          "a request that is sent again is the same request");
}

void check_request(const Request& request) {
  require(request.path == "*" || request.path.starts_with('/'), "the target is a path");
  require(request.body.size() <= small_limits().body_bytes, "the body is within its limit");
  for (const Header& header : request.headers) {
    require(std::none_of(header.name.begin(), header.name.end(),
                         [](char c) { return c >= 'A' && c <= 'Z'; }),
            "names of headers are in lower case");
  }
}

// The requests and errors of one connection.
class ConnectionLog {
 public:
  // Parses what `bytes` complete.
  void receive(std::string_view bytes) {
    buffer_.append(bytes);
    while (open_) {
      const State state = parser_.advance(buffer_);
      if (state == State::incomplete) return;
      if (state == State::invalid) {
        append(transcript_, std::to_string(parser_.error().status));
        append(transcript_, parser_.error().message);
        open_ = false;
        return;
      }
      check_request(parser_.request());
      append(transcript_, parser_.request());
      transcript_ += parser_.take_expect_continue() ? "100\n" : "\n";
      if (!checked_) check_rewritten(parser_.request());
      checked_ = true;
      open_ = parser_.keep_alive();
      parser_.finish(buffer_);
    }
  }
  const std::string& transcript() const { return transcript_; }

 private:
  RequestParser parser_{small_limits()};
  std::string buffer_, transcript_;
  bool open_ = true, checked_ = false;
};

// Splits into parts of at most `max_part` bytes.
std::string read_in_parts(std::string_view bytes, std::size_t max_part, unsigned seed) {
  std::minstd_rand random(seed + 1);
  ConnectionLog log;
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(1 + random() % max_part, bytes.size());
    log.receive(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return log.transcript();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = skim::fuzz::as_text(data + 1, size - 1);
  ConnectionLog whole;
  whole.receive(bytes);
  require(read_in_parts(bytes, 1 + data[0] % 64U, data[0]) == whole.transcript(),
          "requests do not depend on how their bytes are split");
  if (data[0] % 4 == 0)
    require(read_in_parts(bytes, 1, 0) == whole.transcript(),
            "requests that arrive byte by byte are the same");
  return 0;
}
