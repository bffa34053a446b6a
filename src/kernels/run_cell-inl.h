// One application of a cell to the state: groups of products with the gates behind them. Included
// once a target.

#if defined(SKIM_KERNELS_RUN_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_RUN_CELL_INL_H_
#undef SKIM_KERNELS_RUN_CELL_INL_H_
#else
#define SKIM_KERNELS_RUN_CELL_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/cells-inl.h"
#include "kernels/matvec-inl.h"
#include "kernels/sequence.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

template <class Input>
struct CellCall {
  const CellPack& cell;
  const float* x;  // the input's part of the gates
  std::size_t x_stride;
  const float* init;   // what the sums over the state start from, cell.init_stride() between gates
  const Input* input;  // the state, as the weights' type wants it
  const float* hidden;
  float* cell_state;
  float* out;
  bool backwards;
  const float* ahead = nullptr;  // a row of as many gates to fetch meanwhile
};

HWY_INLINE void FetchRow(const float* row, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; i += kCacheLine / sizeof(float)) hwy::Prefetch(row + i);
}

// What the sums of a group's gates start from; sum a belongs to gate a % kGates of a block.
template <class Gates, bool kPartial, class Input>
struct Starts {
  // Of a big cell only a gate whose parts stay apart has a bias of its own under the state's part;
  // of a small one the tail of the state may have added to every gate.
  static constexpr bool kHasOwn = kPartial || Gates::kApart != kNoGate;
  const CellCall<Input>& call;
  std::size_t first;  // the group's first block

  HWY_INLINE Vec Own(std::size_t a) const {
    const FloatTag d;
    if constexpr (!kHasOwn) return hn::Zero(d);
    return hn::Load(d, call.init + (a % Gates::kGates) * call.cell.init_stride() + At(a));
  }
  HWY_INLINE Vec OfInput(std::size_t a) const {
    return hn::LoadU(FloatTag(), call.x + (a % Gates::kGates) * call.x_stride + At(a));
  }
  HWY_INLINE Vec Both(std::size_t a) const {
    if (a % Gates::kGates == Gates::kApart) return Own(a);
    if constexpr (!kHasOwn) return OfInput(a);
    return hn::Add(Own(a), OfInput(a));
  }
  HWY_INLINE std::size_t At(std::size_t a) const {
    return (first + a / Gates::kGates) * hn::Lanes(FloatTag());
  }
};

// kPartial keeps what lies beyond the last unit of the cell: there the rest of a bigger cell's
// state lives.
template <class Gates, std::size_t kBlocks, bool kPartial, class Input>
HWY_INLINE void FinishBlocks(const CellCall<Input>& call, std::size_t first, const Vec* sum) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
    const std::size_t at = (first + b) * lanes;
    const Vec old = hn::Load(d, call.hidden + at);
    Vec out;
    Vec state = hn::Zero(d);
    Vec apart = hn::Zero(d);
    if constexpr (Gates::kHasCell) state = hn::Load(d, call.cell_state + at);
    if constexpr (Gates::kApart != kNoGate) {
      apart = hn::LoadU(d, call.x + Gates::kApart * call.x_stride + at);
    }
    const Vec old_state = state;
    Gates::Apply(sum + b * Gates::kGates, apart, old, state, out);
    if (kPartial && b + 1 == kBlocks && at + lanes > call.cell.units) {
      const auto mine = hn::FirstN(d, call.cell.units - at);
      out = hn::IfThenElse(mine, out, old);
      state = hn::IfThenElse(mine, state, old_state);
    }
    hn::Store(out, d, call.out + at);
    if constexpr (Gates::kHasCell) hn::Store(state, d, call.cell_state + at);
  }
}

// The blocks of one group: sums over the state, then the input, then gates while the sums are in
// registers. The input comes last because a word's row is far away: it arrives while the weights
// stream.
template <class Gates, class Weights, std::size_t kBlocks, bool kPartial>
HWY_NOINLINE void RunGroup(const CellCall<typename Weights::Input>& call, const PackGroup& group) {
  constexpr std::size_t kSums = kBlocks * Gates::kGates;
  const std::size_t first = group.first / Gates::kGates;
  const Starts<Gates, kPartial, typename Weights::Input> starts{call, first};
  Vec sum[kSums];
  Weights::template Run<kSums>(
      call.cell.matrix, group, call.input, call.backwards,
      [&](std::size_t a) HWY_ATTR { return Weights::kStartsLast ? starts.Both(a) : starts.Own(a); },
      sum);
  if constexpr (!Weights::kStartsLast) {
    SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) {
      if (a % Gates::kGates != Gates::kApart) sum[a] = hn::Add(sum[a], starts.OfInput(a));
    }
  }
  FinishBlocks<Gates, kBlocks, kPartial>(call, first, sum);
}

#if HWY_TARGET == HWY_AVX2
// The same with half a block at the end, whose gates come two to a vector; see CellPack.
template <class Weights, std::size_t kBlocks>
HWY_NOINLINE void RunGroupAndHalf(const CellCall<typename Weights::Input>& call,
                                  const PackGroup& group) {
  const FloatTag d;
  const hn::Half<FloatTag> half;
  constexpr std::size_t kWhole = kBlocks * 4;
  const std::size_t first = group.first / 4;
  const Starts<LstmGates, false, typename Weights::Input> starts{call, first};
  Vec sum[kWhole + 2];
  Weights::template Run<kWhole + 2>(
      call.cell.matrix, group, call.input, call.backwards,
      [&](std::size_t a) HWY_ATTR { return a < kWhole ? starts.Both(a) : hn::Zero(d); }, sum);
  FinishBlocks<LstmGates, kBlocks, false>(call, first, sum);

  const std::size_t at = (first + kBlocks) * hn::Lanes(d);
  const auto power = [&](std::size_t gate, auto state_part) HWY_ATTR {
    const auto input_part = hn::LoadU(half, call.x + gate * call.x_stride + at);
    return PowerOfTwo(half, hn::Add(state_part, input_part));
  };
  const auto cell = LstmGates::NewCell(
      half, power(0, hn::LowerHalf(half, sum[kWhole])), power(1, hn::UpperHalf(half, sum[kWhole])),
      power(2, hn::LowerHalf(half, sum[kWhole + 1])), hn::Load(half, call.cell_state + at));
  const auto out = LstmGates::NewHidden(half, power(3, hn::UpperHalf(half, sum[kWhole + 1])),
                                        PowerOfTwo(half, hn::Mul(cell, hn::Set(half, kTanhFold))));
  hn::Store(cell, half, call.cell_state + at);
  hn::Store(out, half, call.out + at);
}
#endif

template <class Gates, class Weights, bool kPartial, std::size_t kBlocks = 1>
HWY_INLINE void RunGroupOf(std::size_t blocks, const CellCall<typename Weights::Input>& call,
                           const PackGroup& group) {
  constexpr std::size_t kMost = cell_accumulators(Weights::kType, Gates::kGates) / Gates::kGates;
  if (blocks == kBlocks) return RunGroup<Gates, Weights, kBlocks, kPartial>(call, group);
  if constexpr (kBlocks < kMost)
    RunGroupOf<Gates, Weights, kPartial, kBlocks + 1>(blocks, call, group);
}

template <class Gates, class Weights, bool kPartial>
HWY_INLINE void RunCell(CellCall<typename Weights::Input> call) {
  const auto& groups = call.cell.matrix.groups;
  const std::size_t count = groups.size();
  const bool backwards = call.backwards;
  for (std::size_t i = 0; i < count; ++i) {
    const PackGroup& group = groups[backwards ? count - 1 - i : i];
    // The units at which the last word's sweep ended are the last to be ready: where order does not
    // matter, the first group begins at the other end (1 % of a bf16 read).
    call.backwards = backwards != (Weights::kAnyOrder && i == 0);
    // A little for each group: the row comes from far away, and a burst of requests would keep the
    // weights waiting.
    if (!kPartial && call.ahead != nullptr) {
      const std::size_t lines = Gates::kGates * call.x_stride / 16;
      FetchRow(call.ahead, i * lines / count * 16, (i + 1) * lines / count * 16);
    }
#if HWY_TARGET == HWY_AVX2
    if constexpr (Gates::kGates == 4 && Weights::kType == WeightType::bf16) {
      static_assert(kMaxBf16Accumulators == 8, "groups of one or two blocks");
      if (group.vectors == 10) {
        RunGroupAndHalf<Weights, 2>(call, group);
        continue;
      }
      if (group.vectors == 6) {
        RunGroupAndHalf<Weights, 1>(call, group);
        continue;
      }
    }
#endif
    RunGroupOf<Gates, Weights, kPartial>(group.vectors / Gates::kGates, call, group);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
