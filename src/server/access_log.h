// One JSON object a line for every request. Written by a thread of its own, so that a slow disk or
// a pipe nobody reads cannot hold up answers.
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
  std::chrono::system_clock::time_point time;  // of the answer
  std::string_view peer;
  std::string_view method;
  std::string_view path;
  int status = 0;
  std::uint64_t bytes_in = 0;   // of the body
  std::uint64_t bytes_out = 0;  // of the answer's body
  std::chrono::nanoseconds taken{0};
  std::chrono::nanoseconds waited{0};  // of `taken`, for a thread
  Outcome outcome;
};

// With its newline.
std::string log_line(const LogEntry& entry);

class AccessLog {
 public:
  // Borrows the descriptor; none (-1) keeps no log. Counts the lines it has to drop.
  AccessLog(int descriptor, Metrics& metrics);
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;
  // Writes what is left.
  ~AccessLog();

  void add(const LogEntry& entry);

 private:
  void write_lines();
  bool write_all(std::string_view bytes);

  int descriptor_;
  Metrics& metrics_;
  std::atomic<bool> leaving_{false};
  std::mutex mutex_;  // guards all below
  std::condition_variable leave_;
  std::string waiting_;
  std::thread writer_;
};

}  // namespace skim::server
