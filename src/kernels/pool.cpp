#include "kernels/pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using PoolTag = hn::ScalableTag<float>;
using PoolVec = hn::Vec<PoolTag>;

// Entries that an update of a level changes and an update of the next smaller level does not.
struct Segment {
  std::size_t begin, end;
};

HWY_INLINE Segment LevelSegment(const UpdateLog& log, int level) {
  const int below = level + 1 < log.levels ? log.widths[level + 1] : 0;
  return {static_cast<std::size_t>(below), static_cast<std::size_t>(log.widths[level])};
}

// Calls visit(t, row, from) for each update: `row` holds the update of step t, which changes the
// segments of levels from .. log.levels - 1.
template <class Visit>
HWY_INLINE void ForEachUpdate(const UpdateLog& log, Visit visit) {
  const float* row = log.log;
  for (std::size_t i = 0; i < log.count; ++i) {
    const std::size_t t = log.backward ? log.count - 1 - i : i;
    const int width = log.steps[t].width;
    int level = log.levels;
    while (level > 0 && width >= log.widths[level - 1]) --level;
    visit(t, row, level);
    row += width;
  }
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

HWY_INLINE float Dot(const float* a, const float* b, Segment segment) {
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

HWY_INLINE void MaxInPlace(float* out, const float* row, Segment segment) {
  const PoolTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = segment.begin;
  for (; i + lanes <= segment.end; i += lanes) {
    hn::StoreU(hn::Max(hn::LoadU(tag, out + i), hn::LoadU(tag, row + i)), tag, out + i);
  }
  if (i == segment.end) return;
  const PoolVec old = hn::LoadU(tag, out + i);
  const auto mask = hn::FirstN(tag, segment.end - i);
  hn::StoreU(hn::IfThenElse(mask, hn::Max(old, hn::LoadU(tag, row + i)), old), tag, out + i);
}

void PoolMax(const UpdateLog& log, float* out) {
  if (log.count == 0) {
    std::fill_n(out, log.widths[0], 0.0F);
    return;
  }
  // A segment that the first step does not update is zero after it, and that zero takes part in the
  // maximum.
  const int first = log.steps[log.backward ? log.count - 1 : 0].width;
  for (int level = 0; level < log.levels; ++level) {
    const Segment segment = LevelSegment(log, level);
    const bool changed = first >= log.widths[level];
    std::fill(out + segment.begin, out + segment.end,
              changed ? -std::numeric_limits<float>::infinity() : 0.0F);
  }
  ForEachUpdate(log, [&](std::size_t, const float* row, int from) HWY_ATTR {
    for (int level = from; level < log.levels; ++level)
      MaxInPlace(out, row, LevelSegment(log, level));
  });
}

void PoolSum(const UpdateLog& log, const float* weights, float* out) {
  const float* rows[kMaxPoolLevels] = {};  // the update that wrote each segment last
  double pending[kMaxPoolLevels] = {};     // total weight of the steps since then
  std::fill_n(out, log.widths[0], 0.0F);
  const auto flush = [&](int level) HWY_ATTR {
    if (rows[level] == nullptr) return;
    AddScaled(out, rows[level], static_cast<float>(pending[level]), LevelSegment(log, level));
  };
  ForEachUpdate(log, [&](std::size_t t, const float* row, int from) HWY_ATTR {
    for (int level = from; level < log.levels; ++level) {
      flush(level);
      rows[level] = row;
      pending[level] = 0;
    }
    const double weight = weights == nullptr ? 1.0 : static_cast<double>(weights[t]);
    for (int level = 0; level < log.levels; ++level) pending[level] += weight;
  });
  for (int level = 0; level < log.levels; ++level) flush(level);
}

void RowLogits(const UpdateLog& log, const float* w, float* logits) {
  float segment_dots[kMaxPoolLevels] = {};  // contribution of each segment of the current row
  ForEachUpdate(log, [&](std::size_t t, const float* row, int from) HWY_ATTR {
    for (int level = from; level < log.levels; ++level) {
      segment_dots[level] = Dot(w, row, LevelSegment(log, level));
    }
    float logit = 0;
    for (int level = 0; level < log.levels; ++level) logit += segment_dots[level];
    logits[t] += logit;
  });
}

void Softmax(float* values, std::size_t count) {
  if (count == 0) return;
  const PoolTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const PoolVec max_value = hn::Set(tag, *std::max_element(values, values + count));
  PoolVec sum = hn::Zero(tag);
  ForVectors({0, count}, [&](std::size_t i, auto keep) HWY_ATTR {
    const PoolVec exponential = keep(hn::Exp(tag, hn::Sub(hn::LoadU(tag, values + i), max_value)));
    hn::StoreU(exponential, tag, values + i);
    sum = hn::Add(sum, exponential);
  });
  const PoolVec scale = hn::Div(hn::Set(tag, 1.0F), hn::SumOfLanes(tag, sum));
  for (std::size_t i = 0; i < count; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(tag, values + i), scale), tag, values + i);
  }
}

void LinearForward(const LinearParams& layer, const float* x, float* out) {
  for (std::size_t row = 0; row < layer.rows; ++row) {
    out[row] = layer.bias[row] + Dot(layer.weight + row * layer.columns, x, {0, layer.columns});
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(PoolMax);
HWY_EXPORT(PoolSum);
HWY_EXPORT(RowLogits);
HWY_EXPORT(Softmax);
HWY_EXPORT(LinearForward);

void pool_max(const UpdateLog& log, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(PoolMax)(log, out);
}

void pool_sum(const UpdateLog& log, const float* weights, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(PoolSum)(log, weights, out);
}

void row_logits(const UpdateLog& log, const float* w, float* logits) noexcept {
  HWY_DYNAMIC_DISPATCH(RowLogits)(log, w, logits);
}

void softmax(float* values, std::size_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(Softmax)(values, count);
}

void linear(const LinearParams& layer, const float* x, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(LinearForward)(layer, x, out);
}

}  // namespace skim
#endif
