// Conversion of a policy to per-step thresholds on logits or probabilities.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skim/policy.h"

namespace skim {

// Uniform sample from [0, 1) for row `position` of a stream; counter-based, the same on every
// machine.
float uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t position);

// The inverse of the sigmoid; 0 gives -infinity, 1 gives +infinity.
float logit(float probability);

}  // namespace skim
