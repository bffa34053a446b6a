// How fast this machine reads memory: the limit of a step that streams its weights.
#pragma once

#include <cstddef>

namespace skim {

// Reads `bytes` (a multiple of 512) once and returns something that depends on all of it.
float read_through(const float* data, std::size_t bytes) noexcept;

}  // namespace skim
