#include "runtime/simd.h"

#include "kernels/target.h"

namespace skim {

std::string simd_target() { return target_name(); }

}  // namespace skim
