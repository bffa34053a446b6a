// How much the server takes before it says no.
#pragma once

#include <chrono>
#include <cstddef>

namespace skim::server {

struct Limits {
  std::size_t head_bytes = std::size_t{16} << 10U;   // request line and headers; beyond: 431
  std::size_t headers = 100;                         // their number; beyond: 431
  std::size_t body_bytes = std::size_t{1} << 20U;    // beyond: 413
  std::size_t text_bytes = std::size_t{256} << 10U;  // of one text; beyond: 422
  // Of a question with its choices; beyond: 422. Apart from texts, because the work of a model that
  // compares the two grows with their product.
  std::size_t question_bytes = std::size_t{4} << 10U;
  std::size_t batch = 256;                           // texts of a batch; beyond: 422
  std::size_t connections = 1024;                    // open at a time; beyond: 503
  std::size_t queue = 256;                           // requests that wait for a thread; beyond: 503
  std::chrono::milliseconds read_time{10000};        // for a whole request to arrive
  std::chrono::milliseconds write_time{10000};       // for a whole answer to be taken
  std::chrono::milliseconds keep_alive_time{15000};  // between requests
};

}  // namespace skim::server
