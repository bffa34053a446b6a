#include "readers/thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/splitmix.h"

namespace skim {

float uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t position) {
  const std::uint64_t bits =
      splitmix64(splitmix64(splitmix64(seed + kSplitMixGamma) + stream * kSplitMixGamma) +
                 (position + 1) * kSplitMixGamma);
  return static_cast<float>(bits >> 40U) * 0x1.0p-24F;
}

float logit(float probability) {
  if (probability <= 0) return -std::numeric_limits<float>::infinity();
  if (probability >= 1) return std::numeric_limits<float>::infinity();
  const double p = probability;
  return static_cast<float>(std::log(p / (1 - p)));
}

}  // namespace skim
