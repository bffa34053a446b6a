// Matrix-vector products of packed weights: f32, and quantized bf16 and int8. Included once per
// target.

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
#include "kernels/target.h"

// Register arrays only stay in registers when every loop over them is unrolled.
#define SKIM_UNROLL _Pragma("GCC unroll 16")

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, kMaxCellLanes>;
using IntTag = hn::CappedTag<std::int32_t, kMaxCellLanes>;
using Vec = hn::Vec<FloatTag>;

// Products take two adjacent vectors of a group at a time where the target has vectors of that
// size: weights from beyond the L1 cache arrive faster in whole cache lines.
using WideFloatTag = hn::CappedTag<float, 2 * kMaxCellLanes>;
using WideIntTag = hn::CappedTag<std::int32_t, 2 * kMaxCellLanes>;

// Loads one or two vectors of weights. Two start at a multiple of one vector.
template <class D>
HWY_INLINE hn::Vec<D> LoadWeights(D d, const hn::TFromD<D>* weights) {
  if constexpr (hn::MaxLanes(D()) > kMaxCellLanes) {
    return hn::LoadU(d, weights);
  } else {
    return hn::Load(d, weights);
  }
}

#if SKIM_WIDE_VECTORS
// Joins vectors 2a and 2a + 1 to wide vector a, and splits them again.
template <class D, class V, std::size_t A, class W, std::size_t P>
HWY_INLINE void JoinPairs(D wide_tag, const V (&vectors)[A], W (&wide)[P]) {
  static_assert(A == 2 * P);
  SKIM_UNROLL for (std::size_t p = 0; p < P; ++p) wide[p] =
      hn::Combine(wide_tag, vectors[2 * p + 1], vectors[2 * p]);
}
template <class D, class W, std::size_t P, class V, std::size_t A>
HWY_INLINE void SplitPairs(D tag, const W (&wide)[P], V (&vectors)[A]) {
  static_assert(A == 2 * P);
  SKIM_UNROLL for (std::size_t p = 0; p < P; ++p) {
    vectors[2 * p] = hn::LowerHalf(tag, wide[p]);
    vectors[2 * p + 1] = hn::UpperHalf(tag, wide[p]);
  }
}
#endif

// Each policy below provides
//   Input              element type of the input vector,
//   Run<A>             sum[a] = init(a) + sum over columns of weight * input, for the A vectors of
//   a group, kInitLast          whether `init` is evaluated after the products, when its loads have
//   arrived, kOrderIndependent  whether the sums are bit-identical for every order of the columns,
//   Total, Base, BroadcastStep, AddProducts   the pieces of Run, for several inputs at once.
// `reverse_scan` streams the columns from last to first: what the previous scan touched last is
// still in the L1 cache (3-16 % of the time of a read).

struct F32Weights {
  using Input = float;
  using Row = float;
  static constexpr WeightType kType = WeightType::f32;
  static constexpr bool kInitLast = false;
  static constexpr bool kOrderIndependent = false;

  using Total = Vec;
  static const float* Base(const PackedMatrix& matrix) { return matrix.f32(); }
  template <class D>
  static HWY_INLINE hn::Vec<D> BroadcastStep(D d, const float* input, std::size_t step) {
    return hn::Set(d, input[step]);
  }
  template <class V>
  static HWY_INLINE V AddProducts(V sum, V weights, V input) {
    return hn::MulAdd(weights, input, sum);
  }

  template <std::size_t A, class V>
  static HWY_INLINE void Step(const float* HWY_RESTRICT weights, float input, V (&sum)[A]) {
    const hn::DFromV<V> d;
    const V factor = hn::Set(d, input);
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      sum[a] = hn::MulAdd(LoadWeights(d, weights + a * hn::Lanes(d)), factor, sum[a]);
    }
  }

  template <std::size_t A, class Init>
  static HWY_INLINE void Run(const PackedMatrix& matrix, const PackGroup& group,
                             const float* HWY_RESTRICT input, bool reverse_scan, const Init& init,
                             Vec (&sum)[A]) {
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) sum[a] = init(a);
    const float* weights = matrix.f32() + group.offset * hn::Lanes(FloatTag());
#if SKIM_WIDE_VECTORS
    if constexpr (A % 2 == 0) {
      hn::Vec<WideFloatTag> wide[A / 2];
      JoinPairs(WideFloatTag(), sum, wide);
      AddColumns(weights, input, matrix.columns, reverse_scan, wide);
      return SplitPairs(FloatTag(), wide, sum);
    }
#endif
    AddColumns(weights, input, matrix.columns, reverse_scan, sum);
  }

 private:
  template <std::size_t A, class V>
  static HWY_INLINE void AddColumns(const float* HWY_RESTRICT weights,
                                    const float* HWY_RESTRICT input, std::size_t columns,
                                    bool reverse_scan, V (&sum)[A]) {
    const std::size_t stride = A * hn::Lanes(hn::DFromV<V>());
    if (!reverse_scan) {
      for (std::size_t j = 0; j < columns; ++j) Step<A>(weights + j * stride, input[j], sum);
    } else {
      for (std::size_t j = columns; j-- > 0;) Step<A>(weights + j * stride, input[j], sum);
    }
  }
};

using Int = hn::Vec<IntTag>;
using WideInt = hn::Vec<WideIntTag>;

// Quantized weights (bf16, int8) are multiplied as integers: AVX2 multiplies and adds pairs of
// 16-bit integers at twice the rate of floats, and products of bf16 weights converted to floats
// would be limited by that rate, not by memory. pack_matrix chooses the scales such that no sum
// overflows 32 bits, so the sums are exact in any order. Kind provides
//   AddProducts     adds to each 32-bit lane the products of its weights and inputs,
//   InitTotal       the initial value of a total,
//   ScaleToInteger  scales entries of the state to the integer range.
template <class Kind, class Integer, std::size_t kColumns>
struct QuantizedWeights {
  using Input = Integer;
  using Row = float;
  // The totals occupy the registers; initial values would be spilled to memory: 2 % of a read.
  static constexpr bool kInitLast = true;
  static constexpr bool kOrderIndependent = true;

  // Adds the products of one packed step to A totals.
  template <std::size_t A, class V>
  static HWY_INLINE void Step(const std::int32_t* HWY_RESTRICT weights, const Integer* input,
                              V (&total)[A]) {
    const hn::DFromV<V> d;
    const V inputs = Broadcast(d, input);
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      total[a] = Kind::AddProducts(total[a], LoadWeights(d, weights + a * hn::Lanes(d)), inputs);
    }
  }

  template <std::size_t A, class Init>
  static HWY_INLINE void Run(const PackedMatrix& matrix, const PackGroup& group,
                             const Integer* HWY_RESTRICT input, bool reverse_scan, const Init& init,
                             Vec (&sum)[A]) {
    const FloatTag f;
    const std::size_t lanes = hn::Lanes(f);
    const auto* weights =
        reinterpret_cast<const std::int32_t*>(matrix.weights.data()) + group.offset * lanes;
    Int total[A];
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      total[a] = Kind::InitTotal(matrix, (group.first + a) * lanes);
    }
    AddAllSteps(weights, input, matrix.steps, reverse_scan, total);
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      const Vec scale = hn::Load(f, matrix.scales.data() + (group.first + a) * lanes);
      sum[a] = hn::MulAdd(hn::ConvertTo(f, total[a]), scale, init(a));
    }
  }

  template <std::size_t A>
  static HWY_INLINE void AddAllSteps(const std::int32_t* HWY_RESTRICT weights,
                                     const Integer* HWY_RESTRICT input, std::size_t steps,
                                     bool reverse_scan, Int (&total)[A]) {
#if SKIM_WIDE_VECTORS
    if constexpr (A % 2 == 0) {
      WideInt wide[A / 2];
      JoinPairs(WideIntTag(), total, wide);
      AddSteps(weights, input, steps, reverse_scan, wide);
      return SplitPairs(IntTag(), wide, total);
    }
#endif
    AddSteps(weights, input, steps, reverse_scan, total);
  }

  template <std::size_t A, class V>
  static HWY_INLINE void AddSteps(const std::int32_t* HWY_RESTRICT weights,
                                  const Integer* HWY_RESTRICT input, std::size_t steps,
                                  bool reverse_scan, V (&total)[A]) {
    const std::size_t stride = A * hn::Lanes(hn::DFromV<V>());
    // Unrolling by ten divides the 50 and 100 steps of 100 and 200 units: 1 % less time per word of
    // the dense reader in bf16 than unrolling by four (median of eight alternating runs, d = 100).
    if (!reverse_scan) {
      _Pragma("GCC unroll 10") for (std::size_t j = 0; j < steps; ++j) {
        Kind::template Step<A>(weights + j * stride, input + kColumns * j, total);
      }
    } else {
      const std::int32_t* last = weights + (steps - 1) * stride;
      const Integer* last_input = input + (steps - 1) * kColumns;
      _Pragma("GCC unroll 10") for (std::size_t j = 0; j < steps; ++j) {
        Kind::template Step<A>(last - j * stride, last_input - kColumns * j, total);
      }
    }
  }

  using Total = Int;
  static const std::int32_t* Base(const PackedMatrix& matrix) {
    return reinterpret_cast<const std::int32_t*>(matrix.weights.data());
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> BroadcastStep(D d, const Integer* input, std::size_t step) {
    return Broadcast(d, input + kColumns * step);
  }

  // Quantizes the hidden state, zero-padded to `padded` entries and clamped to [-1, 1], the range
  // of a cell's output.
  static HWY_INLINE void QuantizeState(const float* hidden, std::size_t padded, Integer* out) {
    const FloatTag d;
    const hn::Rebind<Integer, FloatTag> narrow;
    const Vec one = hn::Set(d, 1.0F);
    for (std::size_t i = 0; i < padded; i += hn::Lanes(d)) {
      const Vec h = hn::Min(hn::Max(hn::Load(d, hidden + i), hn::Neg(one)), one);
      hn::StoreU(hn::DemoteTo(narrow, hn::NearestInt(Kind::ScaleToInteger(h))), narrow, out + i);
    }
  }

 protected:
  // Broadcasts four bytes of the input to every lane.
  template <class D>
  static HWY_INLINE hn::Vec<D> Broadcast(D d, const Integer* input) {
    std::int32_t bits;
    std::memcpy(&bits, input, sizeof bits);
    return hn::Set(d, bits);
  }
};

// A lane holds the weights of columns 2j and 2j+1 as 16-bit quantized.
struct Bf16Weights : QuantizedWeights<Bf16Weights, std::int16_t, 2> {
  static constexpr WeightType kType = WeightType::bf16;

  // Adds to each lane of `sum` the two products of its 16-bit halves.
  static HWY_INLINE Int AddProducts(Int sum, Int weights, Int inputs) {
#if SKIM_EIGHT_LANES
    return hn::Add(sum, Int{_mm256_madd_epi16(weights.raw, inputs.raw)});
#elif HWY_TARGET == HWY_SSE4
    return hn::Add(sum, Int{_mm_madd_epi16(weights.raw, inputs.raw)});
#elif SKIM_NEON
    const int16x8_t w = vreinterpretq_s16_s32(weights.raw);
    const int16x8_t x = vreinterpretq_s16_s32(inputs.raw);
    const int32x4_t low = vmull_s16(vget_low_s16(w), vget_low_s16(x));
    return hn::Add(sum, Int{vpaddq_s32(low, vmull_high_s16(w, x))});
#else
    sum = hn::Add(sum, hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(weights)),
                               hn::ShiftRight<16>(hn::ShiftLeft<16>(inputs))));
    return hn::Add(sum, hn::Mul(hn::ShiftRight<16>(weights), hn::ShiftRight<16>(inputs)));
#endif
  }
#if SKIM_WIDE_VECTORS
  static HWY_INLINE WideInt AddProducts(WideInt sum, WideInt weights, WideInt inputs) {
    return hn::Add(sum, WideInt{_mm512_madd_epi16(weights.raw, inputs.raw)});
  }
#endif

  static HWY_INLINE Int InitTotal(const PackedMatrix& /*matrix*/, std::size_t /*at*/) {
    return hn::Zero(IntTag());
  }
  static HWY_INLINE Vec ScaleToInteger(Vec h) {
    return hn::Mul(h, hn::Set(FloatTag(), kInt16StateScale));
  }
};

// A lane holds the weights of columns 4j to 4j+3 as bytes.
struct Int8Weights : QuantizedWeights<Int8Weights, std::uint8_t, 4> {
  static constexpr WeightType kType = WeightType::int8;

  // Adds to each lane of `sum` the four products of its weight bytes (signed) with the four input
  // bytes (unsigned, 7 bits).
  static HWY_INLINE Int AddProducts(Int sum, Int weights, Int inputs) {
#if SKIM_EIGHT_LANES
    const __m256i pairs = _mm256_maddubs_epi16(inputs.raw, weights.raw);
    return hn::Add(sum, Int{_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))});
#elif HWY_TARGET == HWY_SSE4
    const __m128i pairs = _mm_maddubs_epi16(inputs.raw, weights.raw);
    return hn::Add(sum, Int{_mm_madd_epi16(pairs, _mm_set1_epi16(1))});
#elif SKIM_NEON
    // Sums of two products fit 16 bits, because inputs have 7.
    const int8x16_t w = vreinterpretq_s8_s32(weights.raw);
    const int8x16_t x = vreinterpretq_s8_s32(inputs.raw);
    const int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(x));
    return Int{vpadalq_s16(sum.raw, vpaddq_s16(low, vmull_high_s8(w, x)))};
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
#if SKIM_WIDE_VECTORS
  static HWY_INLINE WideInt AddProducts(WideInt sum, WideInt weights, WideInt inputs) {
    const __m512i pairs = _mm512_maddubs_epi16(inputs.raw, weights.raw);
    return hn::Add(sum, WideInt{_mm512_madd_epi16(pairs, _mm512_set1_epi16(1))});
  }
#endif

  // Totals start from the negated contribution of the input's zero point.
  static HWY_INLINE Int InitTotal(const PackedMatrix& matrix, std::size_t at) {
    return hn::Load(IntTag(), matrix.offsets.data() + at);
  }
  static HWY_INLINE Vec ScaleToInteger(Vec h) {
    const FloatTag d;
    return hn::MulAdd(h, hn::Set(d, kUint8StateScale),
                      hn::Set(d, static_cast<float>(kUint8ZeroPoint)));
  }
};

// The same with instructions that multiply and add at once: the same sums, because they are exact.
// Assembly, because the targets do not include the extensions.
#if SKIM_MAYBE_VNNI
struct Bf16DotWeights : QuantizedWeights<Bf16DotWeights, std::int16_t, 2> {
  static constexpr WeightType kType = WeightType::bf16;

  template <class V>
  static HWY_INLINE V AddProducts(V sum, V weights, V inputs) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum.raw) : "v"(inputs.raw), "vm"(weights.raw));
    return sum;
  }
  static HWY_INLINE Int InitTotal(const PackedMatrix& matrix, std::size_t at) {
    return Bf16Weights::InitTotal(matrix, at);
  }
  static HWY_INLINE Vec ScaleToInteger(Vec h) { return Bf16Weights::ScaleToInteger(h); }
};
#endif

#if SKIM_MAYBE_BYTE_DOT
struct Int8DotWeights : QuantizedWeights<Int8DotWeights, std::uint8_t, 4> {
  static constexpr WeightType kType = WeightType::int8;

  template <class V>
  static HWY_INLINE V AddProducts(V sum, V weights, V inputs) {
#if SKIM_NEON
    asm(".arch armv8.2-a+dotprod\n\tsdot %0.4s, %1.16b, %2.16b"
        : "+w"(sum.raw)
        : "w"(inputs.raw), "w"(weights.raw));
#else
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(inputs.raw), "vm"(weights.raw));
#endif
    return sum;
  }
  static HWY_INLINE Int InitTotal(const PackedMatrix& matrix, std::size_t at) {
    return Int8Weights::InitTotal(matrix, at);
  }
  static HWY_INLINE Vec ScaleToInteger(Vec h) { return Int8Weights::ScaleToInteger(h); }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
