// Seeded numbers that are the same on every machine, which the standard library's distributions
// are not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skim {

// Steps through all 2^64 states; each one is scrambled into a number (the splitmix scheme).
class Random {
 public:
  // Different streams of one seed have nothing to do with each other.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(scramble(seed) ^ scramble(~stream)) {}

  std::uint64_t next() { return scramble(state_ += 0x9E3779B97F4A7C15U); }
  // Evenly from 0 to `count` - 1; `count` is at least 1 and below 2^32.
  std::size_t below(std::size_t count) { return ((next() >> 32) * count) >> 32; }
  // Evenly from [0, 1).
  double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return share() < probability; }
  // Evenly from [-size, size).
  float within(float size) { return static_cast<float>(2 * share() - 1) * size; }

 private:
  static std::uint64_t scramble(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31);
  }

  std::uint64_t state_;
};

}  // namespace skim
