// HTTP/1.0 and 1.1 requests out of a stream of bytes. Strict: what two programs might read
// differently is refused, so that nothing can be smuggled past a proxy in front.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "server/limits.h"
#include "server/message.h"

namespace skim::server {

class RequestParser {
 public:
  explicit RequestParser(const Limits& limits) : limits_(limits) {}

  enum class State {
    more,     // the request has not arrived yet
    ready,    // request() can be looked at
    refused,  // refusal() says why; what follows on this connection cannot be understood
  };
  // Looks at what `buffer` holds from its first byte on. Call it again with more bytes at the end
  // of the same buffer until the state is no longer `more`. Chunked bodies are joined in place.
  State advance(std::string& buffer);

  // When ready: views into the buffer, valid until it changes.
  const Request& request() const { return request_; }
  const Refusal& refusal() const { return refusal_; }
  // Whether the client wants to go on using the connection.
  bool keeps_alive() const { return keeps_alive_; }
  // Whether the client waits for "100 Continue" before it sends the body. True once a request.
  bool take_continue();

  // Whether bytes follow the request that is ready.
  bool has_more(const std::string& buffer) const { return buffer.size() > used(); }

  // The request has been answered: removes its bytes from the buffer and begins anew.
  void finish(std::string& buffer);

 private:
  enum class Phase { head, sized_body, chunks, done };

  // A joined body left its raw bytes behind; they count, too.
  std::size_t used() const { return std::max(head_size_ + body_size_, raw_); }
  State advance_head(std::string& buffer);
  State advance_chunks(std::string& buffer);
  State take_chunk_bytes(std::string& buffer);
  State take_chunk_line(std::string& buffer);
  State ready(std::string& buffer);
  State refuse(int status, std::string message);
  bool read_head(std::string& buffer);
  bool read_request_line(std::string_view line);
  bool read_header(std::string& buffer, std::size_t begin, std::size_t end);
  bool read_framing();
  bool read_length();
  bool read_chunk_line(std::string_view line);

  Limits limits_;
  Phase phase_ = Phase::head;
  Request request_;
  Refusal refusal_;
  const char* read_at_ = nullptr;  // where the buffer was when the head was read
  std::size_t scanned_ = 0;        // bytes in which no end of the head was found
  std::size_t head_size_ = 0;      // with the empty line at its end
  std::size_t body_size_ = 0;      // of chunks: joined so far
  std::size_t raw_ = 0;            // of chunks: where the next raw byte stands
  std::size_t chunk_left_ = 0;     // of chunks: bytes of the present one still to come
  std::size_t trailer_bytes_ = 0;
  bool chunk_open_ = false;   // the line end after a chunk is still to come
  bool trailers_ = false;     // the last chunk is past
  bool old_version_ = false;  // HTTP/1.0
  bool keeps_alive_ = true;
  bool wants_continue_ = false;
};

}  // namespace skim::server
