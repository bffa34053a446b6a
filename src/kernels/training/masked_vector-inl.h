// Masked vector access to rows of any length, and sigmoid and tanh, for floats and doubles.
// Included once per target.

#if defined(SKIM_KERNELS_TRAINING_MASKED_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_TRAINING_MASKED_VECTOR_INL_H_
#undef SKIM_KERNELS_TRAINING_MASKED_VECTOR_INL_H_
#else
#define SKIM_KERNELS_TRAINING_MASKED_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/cells-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// e^x. The double version serves gradient checks: accurate, not fast.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GateExp(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == sizeof(float)) {
    return PowerOfTwo(d, hn::Mul(x, hn::Set(d, -kSigmoidFold)));
  } else {
    alignas(64) T values[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(x, d, values);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
      values[i] = std::exp(std::min(values[i], T{700}));
    return hn::Load(d, values);
  }
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1);
  return hn::Div(one, hn::Add(one, GateExp(d, hn::Neg(x))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V GateTanh(D d, V x) {
  const V one = hn::Set(d, 1);
  const V power = GateExp(d, hn::Mul(x, hn::Set(d, -2)));
  return hn::Div(hn::Sub(one, power), hn::Add(one, power));
}

// Whether the target has native masked loads and stores. Elsewhere Highway's masked accesses touch
// whole aligned vectors, which may reach beyond the end of a row.
inline constexpr bool kMaskedAccess =
    HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL;

// Up to one vector of entries of a row; entries beyond `count` read as zero and are not written.
template <class T>
struct MaskedVector {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  std::size_t at;
  std::size_t count;
  bool whole;
  hn::Mask<D> mask;

  HWY_INLINE V Load(const T* from) const {
    if (whole) return hn::LoadU(D(), from + at);
    if constexpr (kMaskedAccess) {
      return hn::MaskedLoad(mask, D(), from + at);
    } else {
      alignas(64) T values[HWY_MAX_BYTES / sizeof(T)] = {};
      std::copy_n(from + at, count, values);
      return hn::Load(D(), values);
    }
  }
  HWY_INLINE void Store(V value, T* to) const {
    if (whole) return hn::StoreU(value, D(), to + at);
    if constexpr (kMaskedAccess) {
      hn::BlendedStore(value, mask, D(), to + at);
    } else {
      alignas(64) T values[HWY_MAX_BYTES / sizeof(T)];
      hn::Store(value, D(), values);
      std::copy_n(values, count, to + at);
    }
  }
};

// Calls visit(MaskedVector) for each vector of the entries first .. last - 1.
template <class T, class F>
HWY_INLINE void ForEachVector(std::size_t first, std::size_t last, F visit) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = first; i < last; i += lanes) {
    const std::size_t count = std::min(lanes, last - i);
    visit(MaskedVector<T>{i, count, count == lanes, hn::FirstN(d, count)});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
