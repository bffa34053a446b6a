// An incremental parser of HTTP/1.0 and HTTP/1.1 requests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "server/limits.h"
#include "server/message.h"

namespace skim::server {

// Strict: rejects everything that two implementations could parse differently, so that no request
// can be smuggled past a proxy in front of the server.
class RequestParser {
 public:
  explicit RequestParser(const Limits& limits) : limits_(limits) {}

  enum class State {
    incomplete,  // more bytes are needed
    complete,    // request() is valid
    invalid,     // error() is set; the rest of the connection cannot be parsed
  };
  // Parses `buffer` from its first byte. Call it again with more bytes appended to the same buffer
  // while the state is `incomplete`. Decodes chunked bodies in place.
  State advance(std::string& buffer);

  // Valid in state `complete`: views into the buffer, until the buffer changes.
  const Request& request() const { return request_; }
  // The request line and the headers, also of a request whose body is missing or invalid; null
  // unless they are complete and valid. Valid until `buffer`, the one of `advance`, changes.
  const Request* head(std::string& buffer);
  // Valid in state `invalid`.
  const HttpError& error() const { return error_; }
  // Whether the connection may stay open after the response.
  bool keep_alive() const { return keep_alive_; }
  // Whether the client waits for "100 Continue" before it sends the body. True once per request.
  bool take_expect_continue();

  // Whether bytes of a pipelined request follow the complete one.
  bool has_more(const std::string& buffer) const { return buffer.size() > consumed(); }

  // Removes the bytes of the complete request from the buffer and resets the parser.
  void finish(std::string& buffer);

 private:
  enum class Phase { head, sized_body, chunked_body, done };

  // Bytes of the buffer that belong to this request. A decoded body is shorter than its chunks.
  std::size_t consumed() const { return std::max(head_size_ + body_size_, raw_end_); }
  bool skip_empty_lines(std::string& buffer);
  State advance_head(std::string& buffer);
  State advance_chunks(std::string& buffer);
  State decode_chunk_data(std::string& buffer);
  State parse_line_between_chunks(std::string& buffer);
  State parse_trailer(std::string_view line, std::string& buffer);
  State complete(std::string& buffer);
  State reject(int status, std::string message);
  bool parse_head(std::string& buffer);
  bool parse_request_line(std::string_view line);
  bool parse_header(std::string& buffer, std::size_t begin, std::size_t end);
  bool parse_framing();
  bool parse_content_length();
  bool parse_chunk_size(std::string_view line);

  Limits limits_;
  Phase phase_ = Phase::head;
  Request request_;
  HttpError error_;
  const char* parsed_data_ = nullptr;  // buffer.data() when the head was parsed
  std::size_t empty_lines_ = 0;        // before the request line
  std::size_t scanned_ = 0;            // bytes searched for the end of the head
  std::size_t head_size_ = 0;          // including the empty line at its end
  std::size_t body_size_ = 0;          // chunked: decoded so far
  std::size_t raw_end_ = 0;            // chunked: offset of the next raw byte
  std::size_t chunk_left_ = 0;         // chunked: bytes of the current chunk still to come
  std::size_t trailer_bytes_ = 0;
  bool has_head_ = false;     // request line and headers are valid
  bool in_chunk_ = false;     // the line end after the chunk data is still to come
  bool in_trailers_ = false;  // the last chunk has been parsed
  bool is_http_1_0_ = false;
  bool keep_alive_ = true;
  bool expects_continue_ = false;
};

}  // namespace skim::server
