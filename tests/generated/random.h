// Seeded random numbers that are identical on every platform, unlike the distributions of the
// standard library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/splitmix.h"

namespace skim {

// SplitMix64 generator with period 2^64.
class Random {
 public:
  // Different streams of one seed are independent.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(splitmix64(seed) ^ splitmix64(~stream)) {}

  std::uint64_t next() { return splitmix64(state_ += kSplitMixGamma); }
  // Uniform integer in [0, count); 1 <= count < 2^32.
  std::size_t below(std::size_t count) { return ((next() >> 32) * count) >> 32; }
  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool bernoulli(double probability) { return uniform() < probability; }
  // Uniform in [-bound, bound).
  float uniform_within(float bound) { return static_cast<float>(2 * uniform() - 1) * bound; }

 private:
  std::uint64_t state_;
};

}  // namespace skim
