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

#include "kernels/pool_two_levels-inl.h"
#include "kernels/pool_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace {

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
  if (PoolSumOfTwoLevels(log, weights, out)) return;
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
  if (RowLogitsOfTwoLevels(log, w, logits)) return;
  float segment_dots[kMaxPoolLevels] = {};  // contribution of each segment of the current row
  ForEachUpdate(log, [&](std::size_t t, const float* row, int from) HWY_ATTR {
    for (int level = from; level < log.levels; ++level) {
      segment_dots[level] = SegmentDot(w, row, LevelSegment(log, level));
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
    out[row] =
        layer.bias[row] + SegmentDot(layer.weight + row * layer.columns, x, {0, layer.columns});
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
