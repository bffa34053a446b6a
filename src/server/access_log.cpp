#include "server/access_log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "base/json_text.h"

namespace skim::server {
namespace {

// Lines are written this often: waking the writer for each would cost more than the line.
constexpr std::chrono::milliseconds kPause{100};
// Beyond this the log cannot keep up, and lines are dropped rather than memory filled.
constexpr std::size_t kMostWaiting = std::size_t{4} << 20U;
constexpr std::size_t kLongestPath = 256;
constexpr std::size_t kSlice = 4096;  // what a pipe takes as a whole
constexpr int kPatience = 500;        // milliseconds for a slice

// "2024-05-01T12:00:00.123Z"
std::string time_text(std::chrono::system_clock::time_point time) {
  using std::chrono::milliseconds;
  const auto since = std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = since / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string thousandths = std::to_string(1000 + since % 1000);
  return std::string(text, length) + "." + thousandths.substr(1) + "Z";
}

template <class T>
void append_field(std::string& out, std::string_view name, T value) {
  out.append(",\"").append(name).append("\":");
  append_json(out, value);
}

double microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace

std::string log_line(const LogEntry& entry) {
  std::string line = "{\"time\":\"" + time_text(entry.time) + "\"";
  append_field(line, "peer", entry.peer);
  append_field(line, "method", entry.method);
  append_field(line, "path", entry.path.substr(0, kLongestPath));
  append_field(line, "status", entry.status);
  append_field(line, "bytes_in", entry.bytes_in);
  append_field(line, "bytes_out", entry.bytes_out);
  append_field(line, "microseconds", microseconds(entry.taken));
  append_field(line, "waited_microseconds", microseconds(entry.waited));
  if (entry.outcome.texts > 0) {
    append_field(line, "model", entry.outcome.model);
    append_field(line, "texts", entry.outcome.texts);
    append_field(line, "words", entry.outcome.words);
    append_field(line, "words_read", entry.outcome.words_read);
  }
  return line + "}\n";
}

AccessLog::AccessLog(int descriptor, Metrics& metrics)
    : descriptor_(descriptor), metrics_(metrics) {
  if (descriptor_ >= 0) writer_ = std::thread([this] { write_lines(); });
}

AccessLog::~AccessLog() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  leave_.notify_one();
  if (writer_.joinable()) writer_.join();
}

void AccessLog::add(const LogEntry& entry) {
  if (descriptor_ < 0) return;
  const std::string line = log_line(entry);
  const std::lock_guard lock(mutex_);
  if (waiting_.size() + line.size() > kMostWaiting) {
    metrics_.log_lines_lost.fetch_add(1, std::memory_order_relaxed);
  } else {
    waiting_ += line;
  }
}

void AccessLog::write_lines() {
  std::string lines;
  std::unique_lock lock(mutex_);
  for (bool last = false; !last;) {
    last = leave_.wait_for(lock, kPause, [this] { return leaving_.load(); });
    lines.clear();
    std::swap(lines, waiting_);
    lock.unlock();
    if (!write_all(lines)) metrics_.log_lines_lost.fetch_add(1, std::memory_order_relaxed);
    lock.lock();
  }
}

// A pipe that can take anything takes a slice without blocking, so that a reader who fell asleep
// cannot keep the server from leaving.
bool AccessLog::write_all(std::string_view bytes) {
  pollfd ready{descriptor_, POLLOUT, 0};
  while (!bytes.empty()) {
    const int polled = ::poll(&ready, 1, kPatience);
    if (polled == 0 && leaving_) return false;
    if (polled <= 0) continue;
    const ssize_t written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kSlice));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace skim::server
