#include "kernels/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// At most as many lanes as rows are padded to.
using AttentionTag = hn::CappedTag<float, kAttentionPad>;
using AttentionVec = hn::Vec<AttentionTag>;

HWY_INLINE float DotPadded(const float* a, const float* b, std::size_t width) {
  const AttentionTag tag;
  AttentionVec sum = hn::Zero(tag);
  for (std::size_t i = 0; i < width; i += hn::Lanes(tag)) {
    sum = hn::MulAdd(hn::Load(tag, a + i), hn::Load(tag, b + i), sum);
  }
  return hn::GetLane(hn::SumOfLanes(tag, sum));
}

struct SoftmaxSums {
  float total;  // of the exponentials
  float max_logit;
};

// Writes exp(logit - max_logit) for each position into `weights`; the caller divides by the total.
HWY_INLINE SoftmaxSums ExpLogits(const KeyValues& memory, const float* x, float* weights) {
  const AttentionTag tag;
  const std::size_t count = memory.keys.count;
  for (std::size_t i = 0; i < count; ++i) {
    weights[i] = DotPadded(memory.keys.row(i), x, memory.keys.width) + memory.bias[i];
  }
  const float max_logit = *std::max_element(weights, weights + count);
  const AttentionVec max_vector = hn::Set(tag, max_logit);
  AttentionVec sum = hn::Zero(tag);
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const auto inside = hn::FirstN(tag, count - i);
    const AttentionVec shifted = hn::Sub(hn::Load(tag, weights + i), max_vector);
    const AttentionVec exponential =
        hn::IfThenElseZero(inside, hn::Exp(tag, hn::IfThenElseZero(inside, shifted)));
    hn::Store(exponential, tag, weights + i);
    sum = hn::Add(sum, exponential);
  }
  return {hn::GetLane(hn::SumOfLanes(tag, sum)), max_logit};
}

void AttentionForward(const KeyValues& memory, const Rows& x, const MutableRows& out,
                      float* weights, float* max_logits) {
  const AttentionTag tag;
  for (std::size_t t = 0; t < x.count; ++t) {
    float* row = out.row(t);
    std::fill_n(row, memory.values.width, 0.0F);
    if (max_logits != nullptr) max_logits[t] = 0;
    if (memory.keys.count == 0) continue;
    const SoftmaxSums sums = ExpLogits(memory, x.row(t), weights);
    if (max_logits != nullptr) max_logits[t] = sums.max_logit;
    for (std::size_t i = 0; i < memory.values.count; ++i) {
      const AttentionVec weight = hn::Set(tag, weights[i] / sums.total);
      const float* value = memory.values.row(i);
      for (std::size_t j = 0; j < memory.values.width; j += hn::Lanes(tag)) {
        const AttentionVec sum =
            hn::MulAdd(weight, hn::Load(tag, value + j), hn::Load(tag, row + j));
        hn::Store(sum, tag, row + j);
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(AttentionForward);

void attention_forward(const KeyValues& memory, const Rows& x, const MutableRows& out,
                       float* weights, float* max_logits) noexcept {
  HWY_DYNAMIC_DISPATCH(AttentionForward)(memory, x, out, weights, max_logits);
}

}  // namespace skim
#endif
