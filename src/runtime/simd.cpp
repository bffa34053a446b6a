#include "runtime/simd.h"

#include "kernels/target.h"

namespace skim {

std::string simd_in_use() { return target_name(); }

}  // namespace skim
