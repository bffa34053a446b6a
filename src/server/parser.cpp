#include "server/parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace skim::server {
namespace {

constexpr std::size_t kMaxChunkLine = 256;

bool is_token(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_token(c); });
}

// Visible characters, spaces and tabs; bytes beyond ASCII may be anything.
bool is_field_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_same_word(std::string_view one, std::string_view lower_case) {
  return one.size() == lower_case.size() &&
         std::equal(one.begin(), one.end(), lower_case.begin(),
                    [](char a, char b) { return lower(a) == b; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Whether a list such as "keep-alive, close" has the word.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (is_same_word(trimmed(list.substr(0, comma)), word)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// All of `digits`, which must be there.
bool to_size(std::string_view digits, int base, std::size_t& into) {
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), into, base);
  return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
}

// "http://host/path" and "/path" name the same thing.
std::string_view path_of(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (target.starts_with(kScheme)) {
    const std::size_t slash = target.find('/', kScheme.size());
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  return target.substr(0, target.find_first_of("?#"));
}

}  // namespace

bool RequestParser::take_continue() { return std::exchange(wants_continue_, false); }

void RequestParser::finish(std::string& buffer) {
  buffer.erase(0, used());
  *this = RequestParser(limits_);
}

RequestParser::State RequestParser::refuse(int status, std::string message) {
  refusal_ = {status, std::move(message), {}};
  keeps_alive_ = false;
  return State::refused;
}

RequestParser::State RequestParser::advance(std::string& buffer) {
  if (refusal_.message.empty() && phase_ == Phase::head) {
    const State state = advance_head(buffer);
    if (state != State::ready) return state;
  }
  if (!refusal_.message.empty()) return State::refused;
  if (phase_ == Phase::chunks) return advance_chunks(buffer);
  if (phase_ == Phase::sized_body && buffer.size() < head_size_ + body_size_) return State::more;
  return ready(buffer);
}

// Views are made when all is there: the buffer may have moved since the head was read.
RequestParser::State RequestParser::ready(std::string& buffer) {
  if (buffer.data() != read_at_ && !read_head(buffer)) return State::refused;
  phase_ = Phase::done;
  request_.body = std::string_view(buffer).substr(head_size_, body_size_);
  return State::ready;
}

RequestParser::State RequestParser::advance_head(std::string& buffer) {
  // Some clients end a body with one line end too many.
  while (buffer.starts_with("\r\n")) {
    buffer.erase(0, 2);
    scanned_ = 0;
  }
  const std::size_t from = scanned_ > 3 ? scanned_ - 3 : 0;
  const std::size_t end = buffer.find("\r\n\r\n", from);
  const std::size_t size = end == std::string::npos ? buffer.size() : end + 4;
  if (size > limits_.head_bytes) {
    return refuse(431, "request line and headers have more than " +
                           std::to_string(limits_.head_bytes) + " bytes");
  }
  scanned_ = buffer.size();
  if (end == std::string::npos) return State::more;
  head_size_ = size;
  raw_ = size;
  if (!read_head(buffer) || !read_framing()) return State::refused;
  return State::ready;
}

bool RequestParser::read_head(std::string& buffer) {
  read_at_ = buffer.data();
  request_.headers.clear();
  const std::size_t line_end = buffer.find("\r\n");
  if (!read_request_line(std::string_view(buffer).substr(0, line_end))) return false;
  for (std::size_t at = line_end + 2; at + 2 < head_size_;) {
    const std::size_t end = buffer.find("\r\n", at);
    if (!read_header(buffer, at, end)) return false;
    at = end + 2;
  }
  return true;
}

bool RequestParser::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  const auto broken = [this](int status, const char* message) {
    refuse(status, message);
    return false;
  };
  if (first == std::string_view::npos || first == last || !is_token(line.substr(0, first))) {
    return broken(400, "the request line is not METHOD TARGET HTTP/1.1");
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  const bool visible =
      std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!version.starts_with("HTTP/")) {
    return broken(400, "the request line is not METHOD TARGET HTTP/1.1");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return broken(505, "this server speaks HTTP/1.1 and HTTP/1.0");
  }
  request_.method = line.substr(0, first);
  request_.path = path_of(target);
  old_version_ = version == "HTTP/1.0";
  // "OPTIONS *" asks about the server as a whole; there is nothing at that path.
  const bool known = request_.path.starts_with('/') || target == "*";
  return visible && known ? true : broken(400, "the target of the request is not a path");
}

bool RequestParser::read_header(std::string& buffer, std::size_t begin, std::size_t end) {
  const std::string_view line = std::string_view(buffer).substr(begin, end - begin);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) ||
      !is_field_text(line.substr(colon + 1))) {
    refuse(400, "a header is not NAME: VALUE");
    return false;
  }
  if (request_.headers.size() == limits_.headers) {
    refuse(431, "more than " + std::to_string(limits_.headers) + " headers");
    return false;
  }
  const auto name = buffer.begin() + static_cast<std::ptrdiff_t>(begin);
  std::transform(name, name + static_cast<std::ptrdiff_t>(colon), name, lower);
  request_.headers.push_back({line.substr(0, colon), trimmed(line.substr(colon + 1))});
  return true;
}

// Where the body ends, and what becomes of the connection.
bool RequestParser::read_framing() {
  const auto count = [this](std::string_view name) {
    return std::count_if(request_.headers.begin(), request_.headers.end(),
                         [name](const Header& each) { return each.name == name; });
  };
  const auto broken = [this](int status, const char* message) {
    refuse(status, message);
    return false;
  };
  if (count("host") > 1 || (count("host") == 0 && !old_version_)) {
    return broken(400, "a request has one Host header");
  }
  keeps_alive_ = !old_version_ && !lists(request_.header("connection"), "close");
  const bool chunked = count("transfer-encoding") > 0;
  if (chunked && (old_version_ || count("content-length") > 0)) {
    return broken(400, "Transfer-Encoding and Content-Length exclude each other");
  }
  if (chunked && (count("transfer-encoding") > 1 ||
                  !is_same_word(request_.header("transfer-encoding"), "chunked"))) {
    return broken(501, "the only transfer encoding known here is chunked");
  }
  phase_ = chunked ? Phase::chunks : Phase::sized_body;
  if (count("content-length") > 1) return broken(400, "a request has one Content-Length header");
  if (count("content-length") == 1 && !read_length()) return false;
  const std::string_view expected = request_.header("expect");
  if (!expected.empty() && !is_same_word(expected, "100-continue")) {
    return broken(417, "the only expectation known here is 100-continue");
  }
  wants_continue_ = !expected.empty() && !old_version_;
  return true;
}

bool RequestParser::read_length() {
  const std::string_view digits = request_.header("content-length");
  const bool plain =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (plain && digits.size() < 19 && to_size(digits, 10, body_size_)) {
    if (body_size_ <= limits_.body_bytes) return true;
    refuse(413, "the body has " + std::string(digits) + " bytes, the limit is " +
                    std::to_string(limits_.body_bytes));
    return false;
  }
  refuse(plain && !digits.empty() ? 413 : 400, "Content-Length is not a number of bytes");
  return false;
}

bool RequestParser::read_chunk_line(std::string_view line) {
  const std::string_view digits = trimmed(line.substr(0, line.find(';')));
  const bool plain = digits.size() < 16 && is_token(digits) && is_field_text(line);
  if (!plain || !to_size(digits, 16, chunk_left_)) {
    refuse(400, "a chunk does not begin with its size");
    return false;
  }
  if (chunk_left_ > limits_.body_bytes - body_size_) {
    refuse(413, "the body has more than " + std::to_string(limits_.body_bytes) + " bytes");
    return false;
  }
  return true;
}

RequestParser::State RequestParser::advance_chunks(std::string& buffer) {
  State state = State::ready;
  while (state == State::ready && phase_ == Phase::chunks) {
    state = take_chunk_bytes(buffer);
    if (state == State::ready) state = take_chunk_line(buffer);
  }
  if (state != State::more) return state;
  // Sizes and line ends that are done with go, or tiny chunks would take far more than their bytes.
  const std::size_t joined = head_size_ + body_size_;
  buffer.erase(joined, raw_ - joined);
  raw_ = joined;
  return State::more;
}

// What is there of the present chunk.
RequestParser::State RequestParser::take_chunk_bytes(std::string& buffer) {
  const std::size_t there = std::min(chunk_left_, buffer.size() - raw_);
  std::memmove(buffer.data() + head_size_ + body_size_, buffer.data() + raw_, there);
  raw_ += there;
  body_size_ += there;
  chunk_left_ -= there;
  return chunk_left_ > 0 ? State::more : State::ready;
}

// A line between chunks: the end of one, the size of the next, a trailer, or the end of all.
RequestParser::State RequestParser::take_chunk_line(std::string& buffer) {
  const std::size_t end = buffer.find("\r\n", raw_);
  const std::size_t size = (end == std::string::npos ? buffer.size() : end) - raw_;
  // A line that has not ended may hold half of its end.
  if (size > kMaxChunkLine + (end == std::string::npos ? 1 : 0))
    return refuse(400, "a line between chunks is too long");
  if (end == std::string::npos) return State::more;
  const std::string_view line = std::string_view(buffer).substr(raw_, size);
  raw_ = end + 2;
  if (chunk_open_) {
    if (size > 0) return refuse(400, "a chunk is longer than its size");
    chunk_open_ = false;
    return State::ready;
  }
  if (trailers_) {
    trailer_bytes_ += size;
    if (trailer_bytes_ > limits_.head_bytes) return refuse(431, "too many trailers");
    return size == 0 ? ready(buffer) : State::ready;
  }
  if (!read_chunk_line(line)) return State::refused;
  chunk_open_ = chunk_left_ > 0;
  trailers_ = !chunk_open_;
  return State::ready;
}

}  // namespace skim::server
