// A limit on the memory of responses that are being built or wait for their client.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace skim::server {

// Thread-safe.
class ResponseBudget {
 public:
  // Responses of at most this size are not counted: their number is limited by that of connections,
  // and clients with short texts are served while others hold all of the budget.
  static constexpr std::size_t kUncountedBytes = std::size_t{16} << 10U;

  // `used` is the number of bytes in use, a gauge of the metrics; it must outlive all reservations.
  ResponseBudget(std::size_t limit, std::atomic<std::uint64_t>& used)
      : limit_(limit), used_(used) {}

  // Bytes of the budget that are returned to it on destruction. One thread at a time may use it.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept
        : used_(std::exchange(other.used_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Reservation& operator=(Reservation&& other) noexcept {
      std::swap(used_, other.used_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Reservation() {
      if (bytes_ > 0) used_->fetch_sub(bytes_, std::memory_order_relaxed);
    }

   private:
    friend class ResponseBudget;
    std::atomic<std::uint64_t>* used_ = nullptr;
    std::size_t bytes_ = 0;
  };

  enum class Status { reserved, exhausted, too_large };
  // Makes the reservation cover `bytes`. `too_large`: more than the whole budget.
  Status extend(Reservation& reservation, std::size_t bytes) const;

  std::size_t limit() const { return limit_; }

 private:
  std::size_t limit_;
  std::atomic<std::uint64_t>& used_;
};

}  // namespace skim::server
