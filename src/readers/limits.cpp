#include "readers/limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skim {
namespace {

// Spreads every bit of the input over all bits of the output (the finaliser of the splitmix
// generator).
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;

}  // namespace

float draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t position) {
  const std::uint64_t bits = mix(mix(mix(seed + kOdd) + stream * kOdd) + (position + 1) * kOdd);
  return static_cast<float>(bits >> 40U) * 0x1.0p-24F;
}

float logit_of(float probability) {
  if (probability <= 0) return -std::numeric_limits<float>::infinity();
  if (probability >= 1) return std::numeric_limits<float>::infinity();
  const double p = probability;
  return static_cast<float>(std::log(p / (1 - p)));
}

}  // namespace skim
