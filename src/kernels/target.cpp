#include "kernels/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/target.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/highway.h>
#include <hwy/targets.h>
#if HWY_ARCH_ARM_A64 && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "kernels/matvec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

std::size_t Lanes() { return hn::Lanes(FloatTag()); }
std::size_t ProjectionLanes() { return hn::Lanes(hn::ScalableTag<float>()); }
bool MayHaveByteDot() { return SKIM_MAYBE_BYTE_DOT; }
const char* Name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(Lanes);
HWY_EXPORT(ProjectionLanes);
HWY_EXPORT(MayHaveByteDot);
HWY_EXPORT(Name);

std::size_t vector_lanes() { return HWY_DYNAMIC_DISPATCH(Lanes)(); }
std::size_t projection_lanes() { return HWY_DYNAMIC_DISPATCH(ProjectionLanes)(); }
bool has_dot_products() {
#if HWY_ARCH_ARM_A64 && defined(__linux__)
  const bool processor = (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  const bool processor = (hwy::SupportedTargets() & HWY_AVX3_DL) != 0;
#endif
  return HWY_DYNAMIC_DISPATCH(MayHaveByteDot)() && processor;
}
std::string target_name() { return HWY_DYNAMIC_DISPATCH(Name)(); }

}  // namespace skim
#endif
