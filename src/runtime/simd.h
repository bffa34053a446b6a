// The instruction set that the kernels chose on this machine.
#pragma once

#include <string>

namespace skim {

// "AVX2", "SSE4", "NEON", ...
std::string simd_in_use();

}  // namespace skim
