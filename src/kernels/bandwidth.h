// Memory bandwidth measurement: the upper bound of a step that streams its weights.
#pragma once

#include <cstddef>

namespace skim {

// Sums `bytes` bytes of floats (a multiple of 512), so that every one of them is loaded once.
float sum_buffer(const float* data, std::size_t bytes) noexcept;

}  // namespace skim
