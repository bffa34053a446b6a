#include "server/access_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/file_descriptor.h"
#include "base/json.h"

namespace skim::server {
namespace {

LogEntry sample_entry() {
  LogEntry entry;
  entry.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1714564800123));
  entry.peer = "127.0.0.1";
  entry.method = "POST";
  entry.path = "/v1/read";
  entry.status = 200;
  entry.bytes_in = 30;
  entry.bytes_out = 40;
  entry.duration = std::chrono::microseconds(25);
  entry.outcome = {Route::read, "m", 1, 9, 2};
  return entry;
}

TEST(AccessLog, ALineIsAJsonObject) {
  const std::string line = format_log_line(sample_entry());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = parse_json(line, "line");
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["time"], "2024-05-01T12:00:00.123Z");
  EXPECT_EQ((*json)["status"], 200);
  EXPECT_EQ((*json)["microseconds"], 25.0);
  EXPECT_EQ((*json)["model"], "m");
  EXPECT_EQ((*json)["words_read"], 2);
}

TEST(AccessLog, EscapesControlCharactersAndTruncatesMethodAndPath) {
  LogEntry entry = sample_entry();
  const std::string method(10000, 'X');
  entry.method = method;
  const std::string path = "/\"\n\x1b[2J" + std::string(1000, 'a');
  entry.path = path;
  const std::string line = format_log_line(entry);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_LT(line.size(), 600U);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    from = FileDescriptor(ends[0]);
    to = FileDescriptor(ends[1]);
  }
  FileDescriptor from, to;
};

TEST(AccessLog, FlushesPendingLinesOnDestruction) {
  Pipe pipe;
  Metrics metrics({});
  {
    AccessLog log(pipe.to.number(), metrics);
    log.add(sample_entry());
    log.add(sample_entry());
  }
  std::array<char, 4096> bytes{};
  const ssize_t count = ::read(pipe.from.number(), bytes.data(), bytes.size());
  const std::string text(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  EXPECT_EQ(text, format_log_line(sample_entry()) + format_log_line(sample_entry()));
}

TEST(AccessLog, DestructionDoesNotBlockOnAFullPipe) {
  Pipe pipe;
  Metrics metrics({});
  {
    AccessLog log(pipe.to.number(), metrics);
    for (int i = 0; i < 2000; ++i) log.add(sample_entry());
  }
  EXPECT_GT(metrics.log_lines_dropped.load(), 0U);
}

TEST(AccessLog, DropsLinesBeyondTheMemoryLimit) {
  Pipe pipe;
  Metrics metrics({});
  AccessLog log(pipe.to.number(), metrics);
  LogEntry entry = sample_entry();
  const std::string peer(4000, 'a');
  entry.peer = peer;
  // 24 MiB. The writer may take 4 MiB before the pipe is full, and 4 MiB more may be pending.
  for (int i = 0; i < 6000; ++i) log.add(entry);
  EXPECT_GT(metrics.log_lines_dropped.load(), 3500U);
}

}  // namespace
}  // namespace skim::server
