// The SIMD target that run-time dispatch selects for the kernels.
#pragma once

#include <cstddef>
#include <string>

namespace skim {

// Number of floats per vector of the selected target. The layout of packed weights depends on it.
std::size_t vector_lanes();

// Name of the selected target: "AVX2", "AVX3", "SSE4", "NEON", ...
std::string target_name();

}  // namespace skim
