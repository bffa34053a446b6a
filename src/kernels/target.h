// Which vector instructions this machine has, as the kernels see it.
#pragma once

#include <cstddef>
#include <string>

namespace skim {

// Floats in one vector of the target that run-time dispatch picks. Packed weights depend on it.
std::size_t vector_lanes();

// "AVX2", "AVX3", "SSE4", "NEON", ...
std::string target_name();

}  // namespace skim
