// Vectors over segments of pooled states. Included once per target.

#if defined(SKIM_KERNELS_POOL_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_POOL_VECTORS_INL_H_
#undef SKIM_KERNELS_POOL_VECTORS_INL_H_
#else
#define SKIM_KERNELS_POOL_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "kernels/pool.h"
#include "kernels/target.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// As in the cells, so that AVX-512 sums in the same order as AVX2.
using PoolTag = hn::CappedTag<float, kMaxCellLanes>;
using PoolVec = hn::Vec<PoolTag>;

// Entries that an update of a level changes and an update of the next smaller level does not.
struct Segment {
  std::size_t begin, end;
};

HWY_INLINE Segment LevelSegment(const UpdateLog& log, int level) {
  const int below = level + 1 < log.levels ? log.widths[level + 1] : 0;
  return {static_cast<std::size_t>(below), static_cast<std::size_t>(log.widths[level])};
}

// Calls part(i, keep) for each vector of the segment; `keep(v)` zeroes the lanes beyond the
// segment's end.
template <class Part>
HWY_INLINE void ForVectors(Segment segment, Part part) {
  const PoolTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = segment.begin;
  for (; i + lanes <= segment.end; i += lanes) part(i, [](PoolVec v) HWY_ATTR { return v; });
  if (i == segment.end) return;
  const auto mask = hn::FirstN(tag, segment.end - i);
  part(i, [mask](PoolVec v) HWY_ATTR { return hn::IfThenElseZero(mask, v); });
}

HWY_INLINE float SegmentDot(const float* a, const float* b, Segment segment) {
  const PoolTag tag;
  PoolVec sum = hn::Zero(tag);
  ForVectors(segment, [&](std::size_t i, auto keep) HWY_ATTR {
    sum = hn::MulAdd(keep(hn::LoadU(tag, a + i)), keep(hn::LoadU(tag, b + i)), sum);
  });
  return hn::GetLane(hn::SumOfLanes(tag, sum));
}

HWY_INLINE void AddScaled(float* out, const float* row, float scale, Segment segment) {
  const PoolTag tag;
  const PoolVec factor = hn::Set(tag, scale);
  ForVectors(segment, [&](std::size_t i, auto keep) HWY_ATTR {
    const PoolVec sum = hn::MulAdd(factor, keep(hn::LoadU(tag, row + i)), hn::LoadU(tag, out + i));
    hn::StoreU(sum, tag, out + i);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
