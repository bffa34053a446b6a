// The SIMD target that the kernels use on this machine.
#pragma once

#include <string>

namespace skim {

// "AVX2", "SSE4", "NEON", ...
std::string simd_target();

}  // namespace skim
