// The access log: one JSON object per line and request. A thread of its own writes it, so that a
// slow disk or a blocked pipe does not delay responses.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "server/message.h"
#include "server/metrics.h"

namespace skim::server {

struct LogEntry {
  std::chrono::system_clock::time_point time;  // when the response was ready
  std::string_view peer;
  std::string_view method;
  std::string_view path;
  int status = 0;
  std::uint64_t bytes_in = 0;   // request body
  std::uint64_t bytes_out = 0;  // response body
  std::chrono::nanoseconds duration{0};
  std::chrono::nanoseconds queue_time{0};  // part of `duration`
  Outcome outcome;
};

// Formats an entry as one line, including the newline.
std::string format_log_line(const LogEntry& entry);

// Thread-safe.
class AccessLog {
 public:
  // Borrows the descriptor; -1 disables the log. Counts dropped lines in `metrics`.
  AccessLog(int descriptor, Metrics& metrics);
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;
  // Writes the pending lines first, unless the descriptor blocks.
  ~AccessLog();

  // Never blocks on the descriptor. Drops the line when too many are pending or memory is short.
  void add(const LogEntry& entry);

 private:
  bool try_add(const LogEntry& entry);
  void write_lines();
  bool write_all(std::string_view bytes);

  int descriptor_;
  Metrics& metrics_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;  // guards the members below
  std::condition_variable stop_;
  std::string pending_;
  std::thread writer_;
};

}  // namespace skim::server
