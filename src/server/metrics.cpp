#include "server/metrics.h"

#include <algorithm>

#include "base/json_text.h"
#include "skim/version.h"

namespace skim::server {
namespace {

using Counter = std::atomic<std::uint64_t>;

// The statuses with a counter of their own; the last entry counts all others.
constexpr std::array kCountedStatuses = {200, 204, 304, 400, 401, 404, 405, 408, 413, 415,
                                         417, 421, 422, 431, 500, 501, 503, 505, 0};
// Upper bounds of the histogram buckets, in seconds.
constexpr std::array kBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                0.05,   0.1,     0.25,   0.5,   1.0,    2.5,   5.0,  10.0};
constexpr std::array<std::size_t, 5> kGroupBounds = {1, 2, 4, 8, 16};
constexpr std::array<std::string_view, 8> kRouteNames = {
    "page",     "/v1/models", "/v1/read",         "/v1/read/batch",
    "/healthz", "/metrics",   "/v1/openapi.json", "other"};
constexpr std::array<std::string_view, 4> kReloadResultNames = {"reloaded", "unchanged", "failed",
                                                                "kept"};

std::uint64_t load(const Counter& counter) { return counter.load(std::memory_order_relaxed); }
void add(Counter& counter, std::uint64_t more) {
  counter.fetch_add(more, std::memory_order_relaxed);
}

std::string format_number(double value) {
  std::string text;
  append_json(text, value);
  return text;
}

void append_heading(std::string& out, std::string_view name, std::string_view type,
                    std::string_view help) {
  out.append("# HELP ").append(name).append(" ").append(help).append("\n");
  out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

// `labels` includes the braces, or is empty.
void append_value(std::string& out, std::string_view name, std::string_view labels,
                  std::string_view value) {
  out.append(name).append(labels).append(" ").append(value).append("\n");
}

void append_single(std::string& out, std::string_view name, std::string_view type,
                   std::string_view help, const Counter& counter) {
  append_heading(out, name, type, help);
  append_value(out, name, "", std::to_string(load(counter)));
}

}  // namespace

std::string_view to_string(Route route) { return kRouteNames.at(static_cast<std::size_t>(route)); }

std::string_view to_string(ReloadResult result) {
  return kReloadResultNames.at(static_cast<std::size_t>(result));
}

Metrics::Metrics(std::vector<std::string> models)
    : models_(std::move(models)), words_(models_.size()), reloads_(models_.size()) {
  static_assert(kCountedStatuses.size() == kStatuses && kBounds.size() == kBuckets);
  static_assert(kGroupBounds.size() == kGroupBuckets);
  static_assert(kRouteNames.size() == kRoutes && kReloadResultNames.size() == kReloadResults);
}

void Metrics::record(const Outcome& outcome, int status, std::chrono::nanoseconds duration) {
  const auto route = static_cast<std::size_t>(outcome.route);
  const auto known = std::find(kCountedStatuses.begin(), kCountedStatuses.end() - 1, status);
  add(requests_.at(route).at(static_cast<std::size_t>(known - kCountedStatuses.begin())), 1);
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  Latency& latency = latencies_.at(route);
  add(latency.buckets.at(static_cast<std::size_t>(bound - kBounds.begin())), 1);
  add(latency.nanoseconds, static_cast<std::uint64_t>(duration.count()));
  const auto model = std::find(models_.begin(), models_.end(), outcome.model);
  if (outcome.texts == 0 || model == models_.end()) return;
  WordCounts& words = words_[static_cast<std::size_t>(model - models_.begin())];
  add(words.texts, outcome.texts);
  add(words.read, outcome.words_read);
  add(words.skimmed, outcome.words - outcome.words_read);
}

void Metrics::record_group(std::size_t requests) {
  const auto bound = std::lower_bound(kGroupBounds.begin(), kGroupBounds.end(), requests);
  add(groups_.at(static_cast<std::size_t>(bound - kGroupBounds.begin())), 1);
  add(grouped_requests_, requests);
}

void Metrics::record_reload(std::size_t model, ReloadResult result) {
  add(reloads_[model].at(static_cast<std::size_t>(result)), 1);
}

void Metrics::append_requests(std::string& out) const {
  append_heading(out, "skim_requests_total", "counter", "Responses sent, by route and status.");
  for (std::size_t route = 0; route < kRoutes; ++route) {
    for (std::size_t status = 0; status < kStatuses; ++status) {
      const std::uint64_t count = load(requests_[route][status]);
      if (count == 0) continue;
      const std::string name =
          kCountedStatuses[status] == 0 ? "other" : std::to_string(kCountedStatuses[status]);
      append_value(out, "skim_requests_total",
                   "{route=\"" + std::string(kRouteNames[route]) + "\",status=\"" + name + "\"}",
                   std::to_string(count));
    }
  }
}

void Metrics::append_latencies(std::string& out) const {
  append_heading(
      out, "skim_request_duration_seconds", "histogram",
      "Time from the complete request to its response, including the time in the queue.");
  for (std::size_t route = 0; route < kRoutes; ++route) {
    const std::string label = "{route=\"" + std::string(kRouteNames[route]) + "\"";
    const auto& buckets = latencies_[route].buckets;
    const auto used = [](const Counter& bucket) { return load(bucket) > 0; };
    if (std::none_of(buckets.begin(), buckets.end(), used)) continue;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i <= kBuckets; ++i) {
      count += load(buckets[i]);
      const std::string bound = i == kBuckets ? "+Inf" : format_number(kBounds[i]);
      append_value(out, "skim_request_duration_seconds_bucket", label + ",le=\"" + bound + "\"}",
                   std::to_string(count));
    }
    append_value(out, "skim_request_duration_seconds_sum", label + "}",
                 format_number(static_cast<double>(load(latencies_[route].nanoseconds)) * 1e-9));
    append_value(out, "skim_request_duration_seconds_count", label + "}", std::to_string(count));
  }
}

void Metrics::append_groups(std::string& out) const {
  append_heading(out, "skim_read_group_size", "histogram",
                 "Short requests for /v1/read that a worker thread handled together.");
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= kGroupBuckets; ++i) {
    count += load(groups_[i]);
    const std::string bound = i == kGroupBuckets ? "+Inf" : std::to_string(kGroupBounds[i]);
    append_value(out, "skim_read_group_size_bucket", "{le=\"" + bound + "\"}",
                 std::to_string(count));
  }
  append_value(out, "skim_read_group_size_sum", "", std::to_string(load(grouped_requests_)));
  append_value(out, "skim_read_group_size_count", "", std::to_string(count));
}

void Metrics::append_words(std::string& out) const {
  append_heading(out, "skim_texts_total", "counter", "Texts read.");
  for (std::size_t i = 0; i < models_.size(); ++i) {
    append_value(out, "skim_texts_total", "{model=\"" + models_[i] + "\"}",
                 std::to_string(load(words_[i].texts)));
  }
  append_heading(out, "skim_words_total", "counter",
                 "Words of texts, by the decision of the first pass.");
  for (std::size_t i = 0; i < models_.size(); ++i) {
    const std::string label = "{model=\"" + models_[i] + "\",action=";
    append_value(out, "skim_words_total", label + "\"read\"}",
                 std::to_string(load(words_[i].read)));
    append_value(out, "skim_words_total", label + "\"skimmed\"}",
                 std::to_string(load(words_[i].skimmed)));
  }
}

void Metrics::append_reloads(std::string& out) const {
  append_heading(out, "skim_model_reloads_total", "counter", "Reloads by model and result.");
  for (std::size_t i = 0; i < models_.size(); ++i) {
    for (std::size_t result = 0; result < kReloadResults; ++result) {
      append_value(out, "skim_model_reloads_total",
                   "{model=\"" + models_[i] + "\",result=\"" +
                       std::string(kReloadResultNames[result]) + "\"}",
                   std::to_string(load(reloads_[i][result])));
    }
  }
}

std::string Metrics::exposition() const {
  std::string out;
  append_requests(out);
  append_latencies(out);
  append_groups(out);
  append_words(out);
  append_reloads(out);
  append_single(out, "skim_queue_depth", "gauge", "Requests waiting for a worker thread.",
                queue_depth);
  append_single(out, "skim_requests_in_flight", "gauge",
                "Requests being handled by worker threads.", requests_in_flight);
  append_single(out, "skim_pending_response_bytes", "gauge",
                "Memory of responses that are being built or have not been received.",
                pending_response_bytes);
  append_single(out, "skim_connections_open", "gauge", "Open connections.", connections_open);
  append_single(out, "skim_connections_total", "counter", "Connections accepted.",
                connections_accepted);
  append_single(out, "skim_connections_refused_total", "counter",
                "Connections refused with 503 because too many were open.", connections_refused);
  append_single(out, "skim_connections_aborted_total", "counter",
                "Connections closed because there was no memory to continue.", connections_aborted);
  append_single(out, "skim_access_log_dropped_lines_total", "counter",
                "Lines of the access log that were dropped because the log could not keep up.",
                log_lines_dropped);
  append_heading(out, "skim_build_info", "gauge", "The version of the server.");
  append_value(out, "skim_build_info", "{version=\"" SKIM_VERSION "\"}", "1");
  return out;
}

}  // namespace skim::server
