// Counters in the text format of Prometheus. Any thread may count while another one writes.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/message.h"

namespace skim::server {

std::string_view name_of(Route route);

class Metrics {
 public:
  // `models` are the names that words are counted by.
  explicit Metrics(std::vector<std::string> models);

  // An answer was made; `time` is that from the whole request to the answer.
  void count(const Outcome& outcome, int status, std::chrono::nanoseconds time);

  // As they are now.
  std::atomic<std::uint64_t> connections{0};
  std::atomic<std::uint64_t> queued{0};
  std::atomic<std::uint64_t> in_flight{0};
  // As they add up.
  std::atomic<std::uint64_t> connections_accepted{0};
  std::atomic<std::uint64_t> connections_refused{0};
  std::atomic<std::uint64_t> log_lines_lost{0};

  std::string text() const;

 private:
  static constexpr std::size_t kRoutes = 8;
  static constexpr std::size_t kStatuses = 18;
  static constexpr std::size_t kBuckets = 16;

  struct Latency {
    std::array<std::atomic<std::uint64_t>, kBuckets + 1> buckets{};  // the last one: beyond all
    std::atomic<std::uint64_t> nanoseconds{0};
  };
  struct Words {
    std::atomic<std::uint64_t> texts{0}, read{0}, skimmed{0};
  };

  void append_requests(std::string& out) const;
  void append_latencies(std::string& out) const;
  void append_words(std::string& out) const;

  std::vector<std::string> models_;
  std::vector<Words> words_;
  std::array<std::array<std::atomic<std::uint64_t>, kStatuses>, kRoutes> requests_{};
  std::array<Latency, kRoutes> latencies_{};
};

}  // namespace skim::server
