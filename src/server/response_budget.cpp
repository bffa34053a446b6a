#include "server/response_budget.h"

namespace skim::server {

ResponseBudget::Status ResponseBudget::extend(Reservation& reservation, std::size_t bytes) const {
  if (bytes <= kUncountedBytes || bytes <= reservation.bytes_) return Status::reserved;
  if (bytes > limit_) return Status::too_large;
  const std::size_t more = bytes - reservation.bytes_;
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (used + more > limit_) return Status::exhausted;
  } while (!used_.compare_exchange_weak(used, used + more, std::memory_order_relaxed));
  reservation.used_ = &used_;
  reservation.bytes_ = bytes;
  return Status::reserved;
}

}  // namespace skim::server
