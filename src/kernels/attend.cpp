#include "kernels/attend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attend.cpp"
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

// No more lanes than rows are padded to.
using AttendTag = hn::CappedTag<float, kAttendPad>;
using AttendVec = hn::Vec<AttendTag>;

HWY_INLINE float DotPadded(const float* a, const float* b, std::size_t width) {
  const AttendTag tag;
  AttendVec sum = hn::Zero(tag);
  for (std::size_t i = 0; i < width; i += hn::Lanes(tag)) {
    sum = hn::MulAdd(hn::Load(tag, a + i), hn::Load(tag, b + i), sum);
  }
  return hn::GetLane(hn::SumOfLanes(tag, sum));
}

struct Sums {
  float total;    // of the shares, which are not divided by it
  float largest;  // of the scores
};

HWY_INLINE Sums Shares(const Question& question, const float* x, float* shares) {
  const AttendTag tag;
  const std::size_t count = question.keys.count;
  for (std::size_t i = 0; i < count; ++i) {
    shares[i] = DotPadded(question.keys.row(i), x, question.keys.width) + question.bias[i];
  }
  const float most = *std::max_element(shares, shares + count);
  const AttendVec largest = hn::Set(tag, most);
  AttendVec sum = hn::Zero(tag);
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const auto inside = hn::FirstN(tag, count - i);
    const AttendVec below = hn::Sub(hn::Load(tag, shares + i), largest);
    const AttendVec power =
        hn::IfThenElseZero(inside, hn::Exp(tag, hn::IfThenElseZero(inside, below)));
    hn::Store(power, tag, shares + i);
    sum = hn::Add(sum, power);
  }
  return {hn::GetLane(hn::SumOfLanes(tag, sum)), most};
}

void Attend(const Question& question, const Rows& x, const MutableRows& out, float* work,
            float* largest) {
  const AttendTag tag;
  for (std::size_t t = 0; t < x.count; ++t) {
    float* row = out.row(t);
    std::fill_n(row, question.values.width, 0.0F);
    if (largest != nullptr) largest[t] = 0;
    if (question.keys.count == 0) continue;
    const Sums sums = Shares(question, x.row(t), work);
    if (largest != nullptr) largest[t] = sums.largest;
    for (std::size_t i = 0; i < question.values.count; ++i) {
      const AttendVec share = hn::Set(tag, work[i] / sums.total);
      const float* value = question.values.row(i);
      for (std::size_t j = 0; j < question.values.width; j += hn::Lanes(tag)) {
        const AttendVec sum = hn::MulAdd(share, hn::Load(tag, value + j), hn::Load(tag, row + j));
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

HWY_EXPORT(Attend);

void attend(const Question& question, const Rows& x, const MutableRows& out, float* work,
            float* largest) noexcept {
  HWY_DYNAMIC_DISPATCH(Attend)(question, x, out, work, largest);
}

}  // namespace skim
#endif
