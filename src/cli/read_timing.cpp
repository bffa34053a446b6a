#include "cli/read_timing.h"

#include <algorithm>
#include <chrono>

#include "base/result_macros.h"

namespace skim::cli {

Result<double> measure_latency(Session& session, const Query& query, Policy policy) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRepeats = 5;
  constexpr std::chrono::milliseconds kTimeLimit{50};
  // A session may cache the encoded question; reading another one in between invalidates the cache.
  const Query other{".", query.question == "?" ? "!" : "?", query.choices};
  Reading reading;
  double best = 0;
  const auto start = Clock::now();
  for (int i = 0; i < kRepeats && (i == 0 || Clock::now() - start < kTimeLimit); ++i) {
    if (!query.question.empty()) static_cast<void>(session.read(other, policy, reading));
    const auto before = Clock::now();
    SKIM_RETURN_IF_ERROR(session.read(query, policy, reading));
    const double time = std::chrono::duration<double, std::micro>(Clock::now() - before).count();
    best = i == 0 ? time : std::min(best, time);
  }
  return best;
}

}  // namespace skim::cli
