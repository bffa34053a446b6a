// The pointwise part of each cell. Included once a target.
//
// The factor -log2(e) (twice that in front of a tanh) is folded into weights and biases, so a
// gate's sum t gives sigmoid = 1 / (1 + 2^t) and tanh = (1 - 2^t) / (1 + 2^t). Products of gates
// share their denominators: an LSTM unit takes five powers and two divisions. Absolute error of a
// new state against double precision: about 1e-7.

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

// 2^t, relative error 1e-7. t is held at 40 from above, so that the product of three (1 + 2^t)
// stays finite: a sigmoid is then never below 1e-12, far under what f32 keeps of a state.
HWY_INLINE Vec PowerOfTwo(Vec t) {
  const FloatTag d;
  const IntTag i;
  t = hn::Min(hn::Max(t, hn::Set(d, -126.0F)), hn::Set(d, 40.0F));
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const Vec shift = hn::Set(d, 12582912.0F);
  const Vec shifted = hn::Add(t, shift);
  const Vec f = hn::Sub(t, hn::Sub(shifted, shift));
  // Minimax polynomial of 2^f on [-1/2, 1/2]; evaluated in three short chains, because a skim waits
  // for it twice.
  const Vec f2 = hn::Mul(f, f);
  const Vec p01 = hn::MulAdd(hn::Set(d, 0.693146967F), f, hn::Set(d, 1.00000007F));
  const Vec p23 = hn::MulAdd(hn::Set(d, 0.0555071327F), f, hn::Set(d, 0.240221197F));
  const Vec p45 = hn::MulAdd(hn::Set(d, 0.0013276472F), f, hn::Set(d, 0.00967554133F));
  const Vec power = hn::MulAdd(hn::MulAdd(p45, f2, p23), f2, p01);
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(i, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(i, power), exponent));
}

// x[g] are the input's parts of the gate sums, u[g] the state's.
struct LstmGates {
  static constexpr std::size_t kGates = 4;
  static constexpr bool kHasCell = true;

  static HWY_INLINE void Apply(const Vec (&x)[4], const Vec (&u)[4], Vec /*hidden*/, Vec& cell,
                               Vec& out) {
    const FloatTag d;
    const Vec one = hn::Set(d, 1.0F);
    const Vec i = PowerOfTwo(hn::Add(x[0], u[0]));
    const Vec f = hn::Add(one, PowerOfTwo(hn::Add(x[1], u[1])));
    const Vec g = PowerOfTwo(hn::Add(x[2], u[2]));
    const Vec o = PowerOfTwo(hn::Add(x[3], u[3]));
    // c f + i g with sigmoids and tanh written out, over one denominator.
    const Vec ig = hn::Mul(hn::Add(one, i), hn::Add(one, g));
    const Vec above = hn::MulAdd(cell, ig, hn::Mul(hn::Sub(one, g), f));
    cell = hn::Div(above, hn::Mul(f, ig));
    const Vec c = PowerOfTwo(hn::Mul(cell, hn::Set(d, kTanhFold)));
    out = hn::Div(hn::Sub(one, c), hn::Mul(hn::Add(one, o), hn::Add(one, c)));
  }
};

struct GruGates {
  static constexpr std::size_t kGates = 3;
  static constexpr bool kHasCell = false;

  static HWY_INLINE void Apply(const Vec (&x)[3], const Vec (&u)[3], Vec hidden, Vec& /*cell*/,
                               Vec& out) {
    const FloatTag d;
    const Vec one = hn::Set(d, 1.0F);
    const Vec r = hn::Add(one, PowerOfTwo(hn::Add(x[0], u[0])));
    const Vec z = PowerOfTwo(hn::Add(x[1], u[1]));
    const Vec n = PowerOfTwo(hn::Add(x[2], hn::Div(u[2], r)));
    // (1 - z) n + z h over one denominator.
    const Vec below = hn::Mul(hn::Add(one, z), hn::Add(one, n));
    const Vec above = hn::MulAdd(z, hn::Sub(one, n), hn::Mul(hidden, hn::Add(one, n)));
    out = hn::Div(above, below);
  }
};

struct RnnGates {
  static constexpr std::size_t kGates = 1;
  static constexpr bool kHasCell = false;

  static HWY_INLINE void Apply(const Vec (&x)[1], const Vec (&u)[1], Vec /*hidden*/, Vec& /*cell*/,
                               Vec& out) {
    const Vec one = hn::Set(FloatTag(), 1.0F);
    const Vec t = PowerOfTwo(hn::Add(x[0], u[0]));
    out = hn::Div(hn::Sub(one, t), hn::Add(one, t));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
