#include "server/parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "server/field_syntax.h"

namespace skim::server {
namespace {

constexpr std::size_t kMaxChunkLineBytes = 256;
// Some clients send an extra line end after a body (RFC 9112, section 2.2).
constexpr std::size_t kMaxEmptyLines = 4;

// Parses all of `digits`; fails on an empty string.
bool parse_size(std::string_view digits, int base, std::size_t& value) {
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
}

struct Target {
  std::string_view path;                 // without the query string
  std::optional<std::string_view> host;  // of a target in absolute form
};

// Parses a path, an absolute URL or "*"; nothing if it is none of them.
std::optional<Target> parse_target(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  const bool visible =
      std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!visible) return std::nullopt;
  // "OPTIONS *" is valid, but there is no such route.
  if (target == "*") return Target{target, std::nullopt};
  std::optional<std::string_view> host;
  if (equals_ignoring_case(target.substr(0, kScheme.size()), kScheme)) {
    const std::string_view rest = target.substr(kScheme.size());
    host = rest.substr(0, rest.find_first_of("/?#"));
    if (host->empty() || !is_authority(*host)) return std::nullopt;
    target = rest.substr(host->size());
    if (!target.starts_with('/')) target = "/";  // only a query string, if anything
  }
  if (!target.starts_with('/')) return std::nullopt;
  return Target{target.substr(0, target.find_first_of("?#")), host};
}

}  // namespace

bool RequestParser::take_expect_continue() { return std::exchange(expects_continue_, false); }

void RequestParser::finish(std::string& buffer) {
  buffer.erase(0, consumed());
  *this = RequestParser(limits_);
}

RequestParser::State RequestParser::reject(int status, std::string message) {
  error_ = {status, std::move(message), {}};
  keep_alive_ = false;
  return State::invalid;
}

RequestParser::State RequestParser::advance(std::string& buffer) {
  if (error_.message.empty() && phase_ == Phase::head) {
    const State state = advance_head(buffer);
    if (state != State::complete) return state;
  }
  if (!error_.message.empty()) return State::invalid;
  if (phase_ == Phase::chunked_body) return advance_chunks(buffer);
  if (phase_ == Phase::sized_body && buffer.size() < head_size_ + body_size_)
    return State::incomplete;
  return complete(buffer);
}

// Parses the head again if the buffer was reallocated since, because its views are stale then.
RequestParser::State RequestParser::complete(std::string& buffer) {
  if (buffer.data() != parsed_data_ && !parse_head(buffer)) return State::invalid;
  phase_ = Phase::done;
  request_.body = std::string_view(buffer).substr(head_size_, body_size_);
  return State::complete;
}

// Removes empty lines before the request line; false if there are too many.
bool RequestParser::skip_empty_lines(std::string& buffer) {
  std::size_t size = 0;
  for (; std::string_view(buffer).substr(size).starts_with("\r\n"); size += 2) {
    if (++empty_lines_ > kMaxEmptyLines) {
      reject(400, "more than " + std::to_string(kMaxEmptyLines) + " empty lines before a request");
      return false;
    }
  }
  if (size == 0) return true;
  buffer.erase(0, size);
  scanned_ = 0;
  return true;
}

RequestParser::State RequestParser::advance_head(std::string& buffer) {
  if (!skip_empty_lines(buffer)) return State::invalid;
  const std::size_t from = scanned_ > 3 ? scanned_ - 3 : 0;
  const std::size_t end = buffer.find("\r\n\r\n", from);
  const std::size_t size = end == std::string::npos ? buffer.size() : end + 4;
  if (size > limits_.head_bytes) {
    return reject(431, "request line and headers have more than " +
                           std::to_string(limits_.head_bytes) + " bytes");
  }
  scanned_ = buffer.size();
  if (end == std::string::npos) return State::incomplete;
  head_size_ = size;
  raw_end_ = size;
  has_head_ = parse_head(buffer);
  if (!has_head_ || !parse_framing()) return State::invalid;
  return State::complete;
}

const Request* RequestParser::head(std::string& buffer) {
  if (!has_head_ || (buffer.data() != parsed_data_ && !parse_head(buffer))) return nullptr;
  return &request_;
}

bool RequestParser::parse_head(std::string& buffer) {
  parsed_data_ = buffer.data();
  request_.headers.clear();
  const std::size_t line_end = buffer.find("\r\n");
  if (!parse_request_line(std::string_view(buffer).substr(0, line_end))) return false;
  for (std::size_t at = line_end + 2; at + 2 < head_size_;) {
    const std::size_t end = buffer.find("\r\n", at);
    if (!parse_header(buffer, at, end)) return false;
    at = end + 2;
  }
  return true;
}

bool RequestParser::parse_request_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  const auto invalid = [this](int status, const char* message) {
    reject(status, message);
    return false;
  };
  if (first == std::string_view::npos || first == last || !is_token(line.substr(0, first))) {
    return invalid(400, "expected a request line METHOD TARGET HTTP/1.1");
  }
  const std::string_view version = line.substr(last + 1);
  if (!version.starts_with("HTTP/")) {
    return invalid(400, "expected a request line METHOD TARGET HTTP/1.1");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return invalid(505, "expected HTTP/1.1 or HTTP/1.0");
  }
  const auto target = parse_target(line.substr(first + 1, last - first - 1));
  if (!target) return invalid(400, "the request target must be a path");
  request_.method = line.substr(0, first);
  request_.path = target->path;
  request_.host = target->host;
  is_http_1_0_ = version == "HTTP/1.0";
  return true;
}

bool RequestParser::parse_header(std::string& buffer, std::size_t begin, std::size_t end) {
  const std::string_view line = std::string_view(buffer).substr(begin, end - begin);
  if (!is_field_line(line)) {
    reject(400, "expected a header NAME: VALUE");
    return false;
  }
  if (request_.headers.size() == limits_.headers) {
    reject(431, "more than " + std::to_string(limits_.headers) + " headers");
    return false;
  }
  const std::size_t colon = line.find(':');
  const auto name = buffer.begin() + static_cast<std::ptrdiff_t>(begin);
  std::transform(name, name + static_cast<std::ptrdiff_t>(colon), name, to_lower);
  const Header header{line.substr(0, colon), trim(line.substr(colon + 1))};
  request_.headers.push_back(header);
  // A target in absolute form overrides the header (RFC 9112, section 3.2.2).
  if (header.name == "host" && !request_.host) request_.host = header.value;
  return true;
}

// Determines the length of the body and whether the connection persists.
bool RequestParser::parse_framing() {
  const auto count = [this](std::string_view name) {
    return std::count_if(request_.headers.begin(), request_.headers.end(),
                         [name](const Header& each) { return each.name == name; });
  };
  const auto invalid = [this](int status, const char* message) {
    reject(status, message);
    return false;
  };
  if (count("host") > 1 || (count("host") == 0 && !is_http_1_0_)) {
    return invalid(400, "expected exactly one Host header");
  }
  if (!is_authority(request_.header("host"))) {
    return invalid(400, "the Host header must be a host name or address, with an optional port");
  }
  keep_alive_ = !is_http_1_0_ && !list_contains(request_.header("connection"), "close");
  const bool chunked = count("transfer-encoding") > 0;
  if (chunked && (is_http_1_0_ || count("content-length") > 0)) {
    return invalid(400, "Transfer-Encoding and Content-Length are mutually exclusive");
  }
  if (chunked && (count("transfer-encoding") > 1 ||
                  !equals_ignoring_case(request_.header("transfer-encoding"), "chunked"))) {
    return invalid(501, "the only supported transfer encoding is chunked");
  }
  phase_ = chunked ? Phase::chunked_body : Phase::sized_body;
  if (count("content-length") > 1)
    return invalid(400, "expected at most one Content-Length header");
  if (count("content-length") == 1 && !parse_content_length()) return false;
  const std::string_view expected = request_.header("expect");
  if (!expected.empty() && !equals_ignoring_case(expected, "100-continue")) {
    return invalid(417, "the only supported expectation is 100-continue");
  }
  expects_continue_ = !expected.empty() && !is_http_1_0_;
  return true;
}

bool RequestParser::parse_content_length() {
  const std::string_view digits = request_.header("content-length");
  const bool plain =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (plain && digits.size() < 19 && parse_size(digits, 10, body_size_)) {
    if (body_size_ <= limits_.body_bytes) return true;
    reject(413, "the body has " + std::string(digits) + " bytes, the limit is " +
                    std::to_string(limits_.body_bytes));
    return false;
  }
  reject(plain && !digits.empty() ? 413 : 400, "Content-Length must be a number of bytes");
  return false;
}

bool RequestParser::parse_chunk_size(std::string_view line) {
  // No white space: other implementations disagree about it.
  const std::string_view digits = line.substr(0, line.find(';'));
  const bool plain = digits.size() < 16 && is_token(digits) && is_field_text(line);
  if (!plain || !parse_size(digits, 16, chunk_left_)) {
    reject(400, "expected a chunk size in hexadecimal");
    return false;
  }
  if (chunk_left_ > limits_.body_bytes - body_size_) {
    reject(413, "the body has more than " + std::to_string(limits_.body_bytes) + " bytes");
    return false;
  }
  return true;
}

RequestParser::State RequestParser::advance_chunks(std::string& buffer) {
  State state = State::complete;
  while (state == State::complete && phase_ == Phase::chunked_body) {
    state = decode_chunk_data(buffer);
    if (state == State::complete) state = parse_line_between_chunks(buffer);
  }
  if (state != State::incomplete) return state;
  // Removes chunk sizes and line ends: tiny chunks must not hold far more memory than their data.
  const std::size_t decoded = head_size_ + body_size_;
  buffer.erase(decoded, raw_end_ - decoded);
  raw_end_ = decoded;
  return State::incomplete;
}

// Moves the received bytes of the current chunk behind the decoded body.
RequestParser::State RequestParser::decode_chunk_data(std::string& buffer) {
  const std::size_t available = std::min(chunk_left_, buffer.size() - raw_end_);
  std::memmove(buffer.data() + head_size_ + body_size_, buffer.data() + raw_end_, available);
  raw_end_ += available;
  body_size_ += available;
  chunk_left_ -= available;
  return chunk_left_ > 0 ? State::incomplete : State::complete;
}

// Parses the end of a chunk, the size of the next one, a trailer, or the end of the body.
RequestParser::State RequestParser::parse_line_between_chunks(std::string& buffer) {
  const std::size_t end = buffer.find("\r\n", raw_end_);
  const std::size_t size = (end == std::string::npos ? buffer.size() : end) - raw_end_;
  const std::size_t limit = in_trailers_ ? limits_.head_bytes - trailer_bytes_ : kMaxChunkLineBytes;
  // An incomplete line may include the first half of its line end.
  if (size > limit + (end == std::string::npos ? 1 : 0)) {
    return in_trailers_ ? reject(431, "trailers have more than " +
                                          std::to_string(limits_.head_bytes) + " bytes")
                        : reject(400, "a chunk size line has more than " +
                                          std::to_string(kMaxChunkLineBytes) + " bytes");
  }
  if (end == std::string::npos) return State::incomplete;
  const std::string_view line = std::string_view(buffer).substr(raw_end_, size);
  raw_end_ = end + 2;
  if (in_trailers_) return parse_trailer(line, buffer);
  if (in_chunk_) {
    if (size > 0) return reject(400, "chunk data is longer than the chunk size");
    in_chunk_ = false;
    return State::complete;
  }
  if (!parse_chunk_size(line)) return State::invalid;
  in_chunk_ = chunk_left_ > 0;
  in_trailers_ = !in_chunk_;
  return State::complete;
}

// Trailers are validated and ignored. An empty line ends the body.
RequestParser::State RequestParser::parse_trailer(std::string_view line, std::string& buffer) {
  trailer_bytes_ += line.size();
  if (line.empty()) return complete(buffer);
  if (!is_field_line(line)) return reject(400, "expected a trailer NAME: VALUE");
  return State::complete;
}

}  // namespace skim::server
