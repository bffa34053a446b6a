// Counters, gauges and histograms in the Prometheus text format.
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

std::string_view to_string(Route route);

// What a reload did with one model.
enum class ReloadResult {
  reloaded,   // its new file is being served
  unchanged,  // its file has the same checksum, so the loaded model stays
  failed,     // its file was refused; all models stay
  kept,       // its file is valid, but that of another model was refused
};
std::string_view to_string(ReloadResult result);

// Thread-safe: all counters are atomic.
class Metrics {
 public:
  // `models` are the values of the label `model`.
  explicit Metrics(std::vector<std::string> models);

  // Counts one response. `duration` runs from the complete request to the response.
  void record(const Outcome& outcome, int status, std::chrono::nanoseconds duration);

  // Counts requests that a worker thread has taken from the queue together, at least one.
  void record_group(std::size_t requests);

  // Counts one model of a reload. `model` is an index of the names.
  void record_reload(std::size_t model, ReloadResult result);

  // Gauges.
  std::atomic<std::uint64_t> connections_open{0};
  std::atomic<std::uint64_t> queue_depth{0};
  std::atomic<std::uint64_t> requests_in_flight{0};
  std::atomic<std::uint64_t> pending_response_bytes{0};
  // Counters.
  std::atomic<std::uint64_t> connections_accepted{0};
  std::atomic<std::uint64_t> connections_refused{0};
  std::atomic<std::uint64_t> connections_aborted{0};
  std::atomic<std::uint64_t> log_lines_dropped{0};

  // The Prometheus exposition of all metrics.
  std::string exposition() const;

 private:
  static constexpr std::size_t kRoutes = 8;
  static constexpr std::size_t kStatuses = 19;
  static constexpr std::size_t kBuckets = 16;
  static constexpr std::size_t kReloadResults = 4;
  static constexpr std::size_t kGroupBuckets = 5;

  struct Latency {
    std::array<std::atomic<std::uint64_t>, kBuckets + 1> buckets{};  // the last one is +Inf
    std::atomic<std::uint64_t> nanoseconds{0};
  };
  struct WordCounts {
    std::atomic<std::uint64_t> texts{0}, read{0}, skimmed{0};
  };

  void append_requests(std::string& out) const;
  void append_latencies(std::string& out) const;
  void append_groups(std::string& out) const;
  void append_words(std::string& out) const;
  void append_reloads(std::string& out) const;

  std::vector<std::string> models_;
  std::vector<WordCounts> words_;                                                // one per model
  std::vector<std::array<std::atomic<std::uint64_t>, kReloadResults>> reloads_;  // one per model
  std::array<std::array<std::atomic<std::uint64_t>, kStatuses>, kRoutes> requests_{};
  std::array<Latency, kRoutes> latencies_{};
  std::array<std::atomic<std::uint64_t>, kGroupBuckets + 1> groups_{};  // the last one is +Inf
  std::atomic<std::uint64_t> grouped_requests_{0};
};

}  // namespace skim::server
