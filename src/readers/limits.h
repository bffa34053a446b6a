// A policy, as the sequence loop wants it: what each step's logit or probability must exceed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "skim/policy.h"
#include "skim/trace.h"

namespace skim {

// The share of [0, 1) drawn for row `position`; the same on every machine.
float draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t position);

// A logit exceeds the result exactly when its sigmoid exceeds `probability`, up to rounding. 0
// gives -infinity, 1 gives +infinity.
float logit_of(float probability);

// After logits became probabilities: makes "p_read > read_above" say the same as what was done,
// where rounding in the last bit would have it otherwise.
void agree_with_threshold(std::span<Step> steps, int hidden, float read_above);

}  // namespace skim
