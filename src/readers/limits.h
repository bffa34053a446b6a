// A policy, as the sequence loop wants it: what each step's logit or probability must exceed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skim/policy.h"

namespace skim {

// The share of [0, 1) drawn for row `position`; the same on every machine.
float draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t position);

// A logit exceeds the result exactly when its sigmoid exceeds `probability`, up to rounding. 0
// gives -infinity, 1 gives +infinity.
float logit_of(float probability);

}  // namespace skim
