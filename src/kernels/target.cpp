#include "kernels/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/target.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

std::size_t Lanes() { return hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<float>()); }
const char* Name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(Lanes);
HWY_EXPORT(Name);

std::size_t vector_lanes() { return HWY_DYNAMIC_DISPATCH(Lanes)(); }
std::string target_name() { return HWY_DYNAMIC_DISPATCH(Name)(); }

}  // namespace skim
#endif
