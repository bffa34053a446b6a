// SplitMix64 (Steele, Lea and Flood 2014): reproducible random bits on every platform.
#pragma once

#include <cstdint>

namespace skim {

// The increment of the generator's state: 2^64 over the golden ratio, rounded to odd.
inline constexpr std::uint64_t kSplitMixGamma = 0x9E3779B97F4A7C15U;

// The generator's output function, a bijection in which every bit of the input affects every bit of
// the output.
inline constexpr std::uint64_t splitmix64(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31);
}

}  // namespace skim
