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

HWY_INLINE Segment SegmentOf(const PoolLog& log, int level) {
  const int below = level + 1 < log.levels ? log.widths[level + 1] : 0;
  return {static_cast<std::size_t>(below), static_cast<std::size_t>(log.widths[level])};
}

// Calls visit(t, row, from): `row` is the update of step t, and levels from .. log.levels - 1 are
// those whose segments it changes.
template <class Visit>
HWY_INLINE void Walk(const PoolLog& log, Visit visit) {
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

// Calls part(i, keep) for each vector of the segment; `keep(v)` clears the lanes beyond its end.
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

HWY_INLINE void KeepLarger(float* out, const float* row, Segment segment) {
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

void Max(const PoolLog& log, float* out) {
  if (log.count == 0) {
    std::fill_n(out, log.widths[0], 0.0F);
    return;
  }
  // A segment that the first step leaves alone is zero after it, and zero counts.
  const int first = log.steps[log.backward ? log.count - 1 : 0].width;
  for (int level = 0; level < log.levels; ++level) {
    const Segment segment = SegmentOf(log, level);
    const bool changed = first >= log.widths[level];
    std::fill(out + segment.begin, out + segment.end,
              changed ? -std::numeric_limits<float>::infinity() : 0.0F);
  }
  Walk(log, [&](std::size_t, const float* row, int from) HWY_ATTR {
    for (int level = from; level < log.levels; ++level) KeepLarger(out, row, SegmentOf(log, level));
  });
}

void Sum(const PoolLog& log, const float* weights, float* out) {
  const float* rows[kPoolLevels] = {};  // the update that gave each segment its present values
  double pending[kPoolLevels] = {};     // weight of the steps since then
  std::fill_n(out, log.widths[0], 0.0F);
  const auto settle = [&](int level) HWY_ATTR {
    if (rows[level] == nullptr) return;
    AddScaled(out, rows[level], static_cast<float>(pending[level]), SegmentOf(log, level));
  };
  Walk(log, [&](std::size_t t, const float* row, int from) HWY_ATTR {
    for (int level = from; level < log.levels; ++level) {
      settle(level);
      rows[level] = row;
      pending[level] = 0;
    }
    const double weight = weights == nullptr ? 1.0 : static_cast<double>(weights[t]);
    for (int level = 0; level < log.levels; ++level) pending[level] += weight;
  });
  for (int level = 0; level < log.levels; ++level) settle(level);
}

void Scores(const PoolLog& log, const float* w, float* scores) {
  float parts[kPoolLevels] = {};  // what each segment of the present row contributes
  Walk(log, [&](std::size_t t, const float* row, int from) HWY_ATTR {
    for (int level = from; level < log.levels; ++level) {
      parts[level] = Dot(w, row, SegmentOf(log, level));
    }
    float score = 0;
    for (int level = 0; level < log.levels; ++level) score += parts[level];
    scores[t] += score;
  });
}

void Softmax(float* values, std::size_t count) {
  if (count == 0) return;
  const PoolTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  const PoolVec largest = hn::Set(tag, *std::max_element(values, values + count));
  PoolVec sum = hn::Zero(tag);
  ForVectors({0, count}, [&](std::size_t i, auto keep) HWY_ATTR {
    const PoolVec power = keep(hn::Exp(tag, hn::Sub(hn::LoadU(tag, values + i), largest)));
    hn::StoreU(power, tag, values + i);
    sum = hn::Add(sum, power);
  });
  const PoolVec scale = hn::Div(hn::Set(tag, 1.0F), hn::SumOfLanes(tag, sum));
  for (std::size_t i = 0; i < count; i += lanes) {
    hn::StoreU(hn::Mul(hn::LoadU(tag, values + i), scale), tag, values + i);
  }
}

void DenseLayer(const Dense& layer, const float* x, float* out) {
  for (std::size_t row = 0; row < layer.rows; ++row) {
    out[row] = layer.b[row] + Dot(layer.w + row * layer.columns, x, {0, layer.columns});
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(Max);
HWY_EXPORT(Sum);
HWY_EXPORT(Scores);
HWY_EXPORT(Softmax);
HWY_EXPORT(DenseLayer);

void pool_max(const PoolLog& log, float* out) noexcept { HWY_DYNAMIC_DISPATCH(Max)(log, out); }

void pool_sum(const PoolLog& log, const float* weights, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(Sum)(log, weights, out);
}

void pool_scores(const PoolLog& log, const float* w, float* scores) noexcept {
  HWY_DYNAMIC_DISPATCH(Scores)(log, w, scores);
}

void softmax(float* values, std::size_t count) noexcept {
  HWY_DYNAMIC_DISPATCH(Softmax)(values, count);
}

void dense(const Dense& layer, const float* x, float* out) noexcept {
  HWY_DYNAMIC_DISPATCH(DenseLayer)(layer, x, out);
}

}  // namespace skim
#endif
