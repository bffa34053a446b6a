#include "server/access_log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <new>
#include <utility>

#include "base/json_text.h"

namespace skim::server {
namespace {

// Lines are written in intervals: waking the writer for each line would cost more than the line.
constexpr std::chrono::milliseconds kFlushInterval{100};
// Lines beyond this are dropped to bound memory.
constexpr std::size_t kMaxPendingBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxMethodBytes = 32;
constexpr std::size_t kMaxPathBytes = 256;
constexpr std::size_t kMaxWriteBytes = 4096;  // PIPE_BUF: a writable pipe accepts it whole
constexpr int kWriteTimeout = 500;            // milliseconds per write

// "2024-05-01T12:00:00.123Z"
std::string format_time(std::chrono::system_clock::time_point time) {
  using std::chrono::milliseconds;
  const auto since = std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = since / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string millis = std::to_string(1000 + since % 1000);
  return std::string(text, length) + "." + millis.substr(1) + "Z";
}

template <class T>
void append_field(std::string& out, std::string_view name, T value) {
  out.append(",\"").append(name).append("\":");
  append_json(out, value);
}

double to_microseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace

std::string format_log_line(const LogEntry& entry) {
  std::string line = "{\"time\":\"" + format_time(entry.time) + "\"";
  append_field(line, "peer", entry.peer);
  append_field(line, "method", entry.method.substr(0, kMaxMethodBytes));
  append_field(line, "path", entry.path.substr(0, kMaxPathBytes));
  append_field(line, "status", entry.status);
  append_field(line, "bytes_in", entry.bytes_in);
  append_field(line, "bytes_out", entry.bytes_out);
  append_field(line, "microseconds", to_microseconds(entry.duration));
  append_field(line, "waited_microseconds", to_microseconds(entry.queue_time));
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
    stopping_ = true;
  }
  stop_.notify_one();
  if (writer_.joinable()) writer_.join();
}

void AccessLog::add(const LogEntry& entry) {
  if (descriptor_ < 0 || try_add(entry)) return;
  metrics_.log_lines_dropped.fetch_add(1, std::memory_order_relaxed);
}

bool AccessLog::try_add(const LogEntry& entry) {
  try {
    const std::string line = format_log_line(entry);
    const std::lock_guard lock(mutex_);
    if (pending_.size() + line.size() > kMaxPendingBytes) return false;
    pending_ += line;
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // the response matters more than its line
  }
}

void AccessLog::write_lines() {
  std::string lines;
  std::unique_lock lock(mutex_);
  for (bool last = false; !last;) {
    last = stop_.wait_for(lock, kFlushInterval, [this] { return stopping_.load(); });
    lines.clear();
    std::swap(lines, pending_);
    lock.unlock();
    if (!write_all(lines)) metrics_.log_lines_dropped.fetch_add(1, std::memory_order_relaxed);
    lock.lock();
  }
}

// A writable pipe accepts kMaxWriteBytes without blocking, so a stalled log reader cannot block
// shutdown.
bool AccessLog::write_all(std::string_view bytes) {
  pollfd ready{descriptor_, POLLOUT, 0};
  while (!bytes.empty()) {
    const int polled = ::poll(&ready, 1, kWriteTimeout);
    if (polled == 0 && stopping_) return false;
    if (polled <= 0) continue;
    const ssize_t written =
        ::write(descriptor_, bytes.data(), std::min(bytes.size(), kMaxWriteBytes));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace skim::server
