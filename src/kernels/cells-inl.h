// Gate activations and state updates of the LSTM, GRU and RNN cells. Included once per target.
//
// The factor -log2(e) (twice that in front of a tanh) is folded into weights and biases, so a
// gate's pre-activation t gives sigmoid = 1 / (1 + 2^t) and tanh = (1 - 2^t) / (1 + 2^t). Products
// of gates share their denominators: an LSTM unit takes five powers and two divisions. Absolute
// error of a new state against double precision: about 1e-7.

#if defined(SKIM_KERNELS_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_CELLS_INL_H_
#undef SKIM_KERNELS_CELLS_INL_H_
#else
#define SKIM_KERNELS_CELLS_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/fold.h"
#include "kernels/matvec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// Computes 2^t with a relative error of 1e-7. t is clamped to at most 40, so that the product of
// three (1 + 2^t) stays finite: a sigmoid is then never below 1e-12, far under what f32 keeps of a
// state.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V PowerOfTwo(D d, V t) {
  const hn::RebindToSigned<D> i;
  t = hn::Min(hn::Max(t, hn::Set(d, -126.0F)), hn::Set(d, 40.0F));
  const V whole = hn::Round(t);
  const V f = hn::Sub(t, whole);
  // Minimax polynomial of 2^f on [-1/2, 1/2]; evaluated in three short chains, because a skim waits
  // for it twice.
  const V f2 = hn::Mul(f, f);
  const V p01 = hn::MulAdd(hn::Set(d, 0.693146967F), f, hn::Set(d, 1.00000007F));
  const V p23 = hn::MulAdd(hn::Set(d, 0.0555071327F), f, hn::Set(d, 0.240221197F));
  const V p45 = hn::MulAdd(hn::Set(d, 0.0013276472F), f, hn::Set(d, 0.00967554133F));
  const V power = hn::MulAdd(hn::MulAdd(p45, f2, p23), f2, p01);
  // Adding 1.5 * 2^23 leaves the rounded integer in the low bits; beside the rounding, not after
  // it.
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(i, hn::Add(t, hn::Set(d, 12582912.0F))));
  return hn::BitCast(d, hn::Add(hn::BitCast(i, power), exponent));
}

// Apply takes the pre-activations of the gates, summed over input and state. The split gate is one
// whose two parts must not be added (the GRU's candidate n): `sum` holds its state part,
// `input_part` its input part.
inline constexpr std::size_t kNoSplitGate = 99;

struct LstmGates {
  static constexpr std::size_t kGates = 4;
  static constexpr std::size_t kSplitGate = kNoSplitGate;
  static constexpr bool kHasCell = true;

  static HWY_INLINE void Apply(const Vec* sum, Vec /*input_part*/, Vec /*hidden*/, Vec& cell,
                               Vec& out) {
    const FloatTag d;
    cell = NewCell(d, PowerOfTwo(d, sum[0]), PowerOfTwo(d, sum[1]), PowerOfTwo(d, sum[2]), cell);
    out = NewHidden(d, PowerOfTwo(d, sum[3]), PowerOfTwo(d, hn::Mul(cell, hn::Set(d, kTanhFold))));
  }

  // New cell state f c + i g over one denominator. i, f, g are the powers of two of the gates'
  // pre-activations.
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V NewCell(D d, V i, V f, V g, V cell) {
    const V one = hn::Set(d, 1.0F);
    f = hn::Add(one, f);
    const V ig = hn::Mul(hn::Add(one, i), hn::Add(one, g));
    const V numerator = hn::MulAdd(cell, ig, hn::Mul(hn::Sub(one, g), f));
    return hn::Div(numerator, hn::Mul(f, ig));
  }

  // New hidden state o tanh(c) likewise; o and c are powers of two.
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V NewHidden(D d, V o, V c) {
    const V one = hn::Set(d, 1.0F);
    return hn::Div(hn::Sub(one, c), hn::Mul(hn::Add(one, o), hn::Add(one, c)));
  }
};

struct GruGates {
  static constexpr std::size_t kGates = 3;
  static constexpr std::size_t kSplitGate = 2;
  static constexpr bool kHasCell = false;

  static HWY_INLINE void Apply(const Vec* sum, Vec input_part, Vec hidden, Vec& /*cell*/,
                               Vec& out) {
    const FloatTag d;
    const Vec one = hn::Set(d, 1.0F);
    const Vec r = hn::Add(one, PowerOfTwo(d, sum[0]));
    const Vec z = PowerOfTwo(d, sum[1]);
    const Vec n = PowerOfTwo(d, hn::Add(input_part, hn::Div(sum[2], r)));
    // (1 - z) n + z h over one denominator.
    const Vec denominator = hn::Mul(hn::Add(one, z), hn::Add(one, n));
    const Vec numerator = hn::MulAdd(z, hn::Sub(one, n), hn::Mul(hidden, hn::Add(one, n)));
    out = hn::Div(numerator, denominator);
  }
};

struct RnnGates {
  static constexpr std::size_t kGates = 1;
  static constexpr std::size_t kSplitGate = kNoSplitGate;
  static constexpr bool kHasCell = false;

  static HWY_INLINE void Apply(const Vec* sum, Vec /*input_part*/, Vec /*hidden*/, Vec& /*cell*/,
                               Vec& out) {
    const FloatTag d;
    const Vec one = hn::Set(d, 1.0F);
    const Vec t = PowerOfTwo(d, sum[0]);
    out = hn::Div(hn::Sub(one, t), hn::Add(one, t));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
