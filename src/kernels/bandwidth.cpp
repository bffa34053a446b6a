#include "kernels/bandwidth.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bandwidth.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "kernels/matvec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// Eight accumulators, so that no load waits for an addition.
float SumBuffer(const float* data, std::size_t bytes) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  Vec sum[8];
  SKIM_UNROLL for (std::size_t a = 0; a < 8; ++a) sum[a] = hn::Zero(d);
  const std::size_t count = bytes / sizeof(float);
  for (std::size_t i = 0; i + 8 * lanes <= count; i += 8 * lanes) {
    SKIM_UNROLL for (std::size_t a = 0; a < 8; ++a) {
      sum[a] = hn::Add(sum[a], hn::Load(d, data + i + a * lanes));
    }
  }
  Vec all = sum[0];
  SKIM_UNROLL for (std::size_t a = 1; a < 8; ++a) all = hn::Add(all, sum[a]);
  return hn::GetLane(hn::SumOfLanes(d, all));
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(SumBuffer);

float sum_buffer(const float* data, std::size_t bytes) noexcept {
  return HWY_DYNAMIC_DISPATCH(SumBuffer)(data, bytes);
}

}  // namespace skim
#endif
