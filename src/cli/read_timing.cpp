#include "cli/read_timing.h"

#include <chrono>
#include <vector>

#include "base/result_macros.h"
#include "tasks/metrics.h"

namespace skim::cli {
double now_in_microseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

Result<double> measure_warm_time(Session& session, const Query& query, Policy policy) {
  constexpr std::size_t kReadings = 21;
  constexpr double kMaxMicroseconds = 50'000;
  // A session may cache the encoded question; reading another one in between invalidates the cache.
  const Query other{".", query.question == "?" ? "!" : "?", query.choices};
  Reading reading;
  std::vector<double> times;
  const double start = now_in_microseconds();
  while (times.empty() ||
         (times.size() < kReadings && now_in_microseconds() - start < kMaxMicroseconds)) {
    if (!query.question.empty()) static_cast<void>(session.read(other, policy, reading));
    const double before = now_in_microseconds();
    SKIM_RETURN_IF_ERROR(session.read(query, policy, reading));
    times.push_back(now_in_microseconds() - before);
  }
  return median(times);
}

}  // namespace skim::cli
