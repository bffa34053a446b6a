// Vectors of floats or doubles over a row whose length is not a multiple of theirs, and what gates
// are made of. Included once a target.

#if defined(SKIM_KERNELS_TRAINING_PARTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_TRAINING_PARTS_INL_H_
#undef SKIM_KERNELS_TRAINING_PARTS_INL_H_
#else
#define SKIM_KERNELS_TRAINING_PARTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/cells-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// e^x. Doubles are for checks of the gradients: exact, not fast.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOf(D d, V x) {
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
  return hn::Div(one, hn::Add(one, ExpOf(d, hn::Neg(x))));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V TanhOf(D d, V x) {
  const V one = hn::Set(d, 1);
  const V power = ExpOf(d, hn::Mul(x, hn::Set(d, -2)));
  return hn::Div(hn::Sub(one, power), hn::Add(one, power));
}

// Where the machine itself can leave lanes out. Elsewhere Highway's masked accesses touch whole
// vectors, aligned ones, and rows end where they end.
inline constexpr bool kMaskedAccess =
    HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL;

// Up to a vector of entries; what is beyond `count` reads as zero and is not written.
template <class T>
struct Part {
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

template <class T, class F>
HWY_INLINE void ForParts(std::size_t first, std::size_t last, F part) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = first; i < last; i += lanes) {
    const std::size_t count = std::min(lanes, last - i);
    part(Part<T>{i, count, count == lanes, hn::FirstN(d, count)});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
