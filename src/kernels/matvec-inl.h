// Products of a packed matrix with one vector, for each type of weights. Included once a target.

#if defined(SKIM_KERNELS_MATVEC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_MATVEC_INL_H_
#undef SKIM_KERNELS_MATVEC_INL_H_
#else
#define SKIM_KERNELS_MATVEC_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/pack.h"

// Register arrays only stay in registers when every loop over them is unrolled.
#define SKIM_UNROLL _Pragma("GCC unroll 16")

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using IntTag = hn::ScalableTag<std::int32_t>;
using WordTag = hn::ScalableTag<std::uint32_t>;
using Vec = hn::Vec<FloatTag>;

// Each policy below provides
//   Input    what the vector is made of,
//   Run<A>   out[a] = init[a] + sum over columns of weight * input, for the A vectors of one group.
// `backwards` sweeps the columns from the last to the first: what the previous sweep touched last
// is still in the first-level cache (3-16 % of the time of a read).

struct F32Weights {
  using Input = float;
  static constexpr WeightType kType = WeightType::f32;

  template <std::size_t A>
  static HWY_INLINE void Step(const float* HWY_RESTRICT weights, float input, Vec (&sum)[A]) {
    const FloatTag d;
    const Vec factor = hn::Set(d, input);
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      sum[a] = hn::MulAdd(hn::Load(d, weights + a * hn::Lanes(d)), factor, sum[a]);
    }
  }

  template <std::size_t A>
  static HWY_INLINE void Run(const PackedMatrix& matrix, const PackGroup& group,
                             const float* HWY_RESTRICT input, bool backwards, Vec (&sum)[A]) {
    const std::size_t stride = A * hn::Lanes(FloatTag());
    const float* weights = matrix.f32() + group.offset * hn::Lanes(FloatTag());
    if (!backwards) {
      for (std::size_t j = 0; j < matrix.columns; ++j) Step<A>(weights + j * stride, input[j], sum);
    } else {
      for (std::size_t j = matrix.columns; j-- > 0;) Step<A>(weights + j * stride, input[j], sum);
    }
  }
};

struct Bf16Weights {
  using Input = float;
  static constexpr WeightType kType = WeightType::bf16;

  // A lane holds the weights of columns 2j (low half) and 2j+1 (high half). The odd weight is used
  // as it stands, with the even one in its lowest bits; pack_matrix rounded it with that in mind.
  // Masking those bits off costs a fifth of the time.
  template <std::size_t A>
  static HWY_INLINE void Step(const std::uint32_t* HWY_RESTRICT weights, const float* input,
                              Vec (&sum)[A]) {
    const FloatTag d;
    const WordTag w;
    const Vec even = hn::Set(d, input[0]);
    const Vec odd = hn::Set(d, input[1]);
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      const auto pair = hn::Load(w, weights + a * hn::Lanes(w));
      sum[a] = hn::MulAdd(hn::BitCast(d, hn::ShiftLeft<16>(pair)), even, sum[a]);
      sum[a] = hn::MulAdd(hn::BitCast(d, pair), odd, sum[a]);
    }
  }

  // The input is padded with a zero to an even number of entries.
  template <std::size_t A>
  static HWY_INLINE void Run(const PackedMatrix& matrix, const PackGroup& group,
                             const float* HWY_RESTRICT input, bool backwards, Vec (&sum)[A]) {
    const std::size_t stride = A * hn::Lanes(WordTag());
    const auto* weights = reinterpret_cast<const std::uint32_t*>(matrix.weights.data()) +
                          group.offset * hn::Lanes(WordTag());
    if (!backwards) {
      for (std::size_t j = 0; j < matrix.steps; ++j)
        Step<A>(weights + j * stride, input + 2 * j, sum);
    } else {
      for (std::size_t j = matrix.steps; j-- > 0;)
        Step<A>(weights + j * stride, input + 2 * j, sum);
    }
  }
};

struct Int8Weights {
  using Input = std::uint8_t;
  static constexpr WeightType kType = WeightType::int8;
  using Int = hn::Vec<IntTag>;

  // sum += for each lane the four products of its weight bytes (signed) with the four input bytes
  // (unsigned, 7 bits).
  static HWY_INLINE Int AddFour(Int sum, Int weights, Int inputs) {
#if HWY_TARGET == HWY_AVX2
    const __m256i pairs = _mm256_maddubs_epi16(inputs.raw, weights.raw);
    return hn::Add(sum, Int{_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))});
#elif HWY_TARGET == HWY_SSE4
    const __m128i pairs = _mm_maddubs_epi16(inputs.raw, weights.raw);
    return hn::Add(sum, Int{_mm_madd_epi16(pairs, _mm_set1_epi16(1))});
#elif HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    const __m512i pairs = _mm512_maddubs_epi16(inputs.raw, weights.raw);
    return hn::Add(sum, Int{_mm512_madd_epi16(pairs, _mm512_set1_epi16(1))});
#else
    sum = hn::Add(sum, hn::Mul(hn::ShiftRight<24>(hn::ShiftLeft<24>(weights)),
                               hn::ShiftRight<24>(hn::ShiftLeft<24>(inputs))));
    sum = hn::Add(sum, hn::Mul(hn::ShiftRight<24>(hn::ShiftLeft<16>(weights)),
                               hn::ShiftRight<24>(hn::ShiftLeft<16>(inputs))));
    sum = hn::Add(sum, hn::Mul(hn::ShiftRight<24>(hn::ShiftLeft<8>(weights)),
                               hn::ShiftRight<24>(hn::ShiftLeft<8>(inputs))));
    return hn::Add(sum, hn::Mul(hn::ShiftRight<24>(weights), hn::ShiftRight<24>(inputs)));
#endif
  }

  template <std::size_t A>
  static HWY_INLINE void Step(const std::int32_t* HWY_RESTRICT weights, const std::uint8_t* input,
                              Int (&total)[A]) {
    const IntTag d;
    std::int32_t four;
    std::memcpy(&four, input, sizeof four);
    const Int inputs = hn::Set(d, four);
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      total[a] = AddFour(total[a], hn::Load(d, weights + a * hn::Lanes(d)), inputs);
    }
  }

  // The input is padded to a multiple of four bytes.
  template <std::size_t A>
  static HWY_INLINE void Run(const PackedMatrix& matrix, const PackGroup& group,
                             const std::uint8_t* HWY_RESTRICT input, bool backwards,
                             Vec (&sum)[A]) {
    const IntTag d;
    const FloatTag f;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t stride = A * lanes;
    const auto* weights =
        reinterpret_cast<const std::int32_t*>(matrix.weights.data()) + group.offset * lanes;
    Int total[A];
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      total[a] = hn::Load(d, matrix.offsets.data() + (group.first + a) * lanes);
    }
    if (!backwards) {
      for (std::size_t j = 0; j < matrix.steps; ++j)
        Step<A>(weights + j * stride, input + 4 * j, total);
    } else {
      for (std::size_t j = matrix.steps; j-- > 0;)
        Step<A>(weights + j * stride, input + 4 * j, total);
    }
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      const Vec scale = hn::Load(f, matrix.scales.data() + (group.first + a) * lanes);
      sum[a] = hn::MulAdd(hn::ConvertTo(f, total[a]), scale, sum[a]);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
