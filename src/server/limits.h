// Limits on requests, connections and time.
#pragma once

#include <chrono>
#include <cstddef>

namespace skim::server {

struct Limits {
  std::size_t head_bytes = std::size_t{16} << 10U;   // request line and headers; beyond: 431
  std::size_t headers = 100;                         // number of headers; beyond: 431
  std::size_t body_bytes = std::size_t{1} << 20U;    // request body; beyond: 413
  std::size_t text_bytes = std::size_t{256} << 10U;  // one text; beyond: 422
  // One question with its choices; beyond: 422. Separate from texts, because the cost of a model
  // that attends between the two grows with the product of their lengths.
  std::size_t question_bytes = std::size_t{4} << 10U;
  std::size_t batch = 256;         // texts per batch; beyond: 422
  std::size_t connections = 1024;  // open connections; beyond: 503
  std::size_t queue = 256;         // requests waiting for a worker; beyond: 503
  // Memory of responses that are being built or have not been received; beyond: 503.
  std::size_t pending_bytes = std::size_t{256} << 20U;
  std::chrono::milliseconds read_timeout{10000};        // to receive a whole request
  std::chrono::milliseconds write_timeout{10000};       // to send a whole response
  std::chrono::milliseconds keep_alive_timeout{15000};  // idle time between requests
};

}  // namespace skim::server
