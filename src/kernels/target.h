// The SIMD target that run-time dispatch selects for the kernels.
#pragma once

#include <cstddef>
#include <string>

namespace skim {

// Maximum number of floats per vector in the cells. Vectors of 16 would be mostly padding in a
// small cell, and weights do not arrive faster in them.
inline constexpr std::size_t kMaxCellLanes = 8;

// Number of floats per vector in the cells on the selected target. The layout of packed cells
// depends on it.
std::size_t vector_lanes();
// The same for input projections and linear layers (kernels/project.h): whole vectors of the
// target.
std::size_t projection_lanes();

// Whether the processor has the dot product instructions of Int8DotWeights and Bf16DotWeights and
// the selected target uses them: AVX-512 VNNI, or SDOT of 64-bit ARM. Slow: asks the processor.
bool has_dot_products();

// Name of the selected target: "AVX2", "AVX3", "SSE4", "NEON", ...
std::string target_name();

}  // namespace skim
