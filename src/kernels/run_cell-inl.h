// One step of a cell: recurrent matrix-vector products followed by the gates. Included once per
// target.

#if defined(SKIM_KERNELS_RUN_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_RUN_CELL_INL_H_
#undef SKIM_KERNELS_RUN_CELL_INL_H_
#else
#define SKIM_KERNELS_RUN_CELL_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

#include "kernels/cells-inl.h"
#include "kernels/matvec-inl.h"
#include "kernels/sequence.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// Weights of a big cell whose input projections are compact rows.
template <class Weights>
struct WithCompactRows : Weights {
  using Row = CompactEntry;
};

// Arguments of one step of a cell.
template <class Input, class Row = float>
struct CellCall {
  const PackedCell& cell;
  const Row* x;  // input projection of the gates
  std::size_t x_stride;
  const float* init;  // initial values of the sums over the state, cell.init_stride() between gates
  const Input* input;  // the hidden state in the input type of the weights
  const float* hidden;
  float* cell_state;
  float* out;
  bool reverse_scan;
  float* gate_sums = nullptr;         // big cell: buffer for the pre-activations of all gates
  const Row* prefetch_row = nullptr;  // input projection of the next step, to prefetch meanwhile
};

template <class Weights>
using CellCallOf = CellCall<typename Weights::Input, typename Weights::Row>;

// Prefetches the share i of `count` equal shares of a row.
template <class Gates, class Row>
HWY_INLINE void PrefetchRow(const Row* row, std::size_t stride, std::size_t i = 0,
                            std::size_t count = 1) {
  constexpr std::size_t kPerLine = kCacheLine / sizeof(Row);
  constexpr std::size_t kHeader = std::is_same_v<Row, CompactEntry> ? kCompactHeader : 0;
  const std::size_t entries = kHeader + Gates::kGates * stride;
  const std::size_t lines = (entries + kPerLine - 1) / kPerLine;
  for (std::size_t line = i * lines / count; line < (i + 1) * lines / count; ++line)
    hwy::Prefetch(row + line * kPerLine);
}

// Keeps a vector in a register: the compiler neither recomputes it nor merges the operation that
// produced it into later ones.
template <class V>
HWY_INLINE void PinToRegister(V& v) {
#if HWY_ARCH_X86 && !HWY_COMPILER_MSVC && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+v"(v.raw));
#elif HWY_ARCH_ARM_A64 && !HWY_COMPILER_MSVC && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  asm("" : "+w"(v.raw));
#else
  (void)v;
#endif
}

// A vector of an input projection, from the entry `at` on.
template <class Input>
HWY_INLINE Vec LoadInput(const CellCall<Input, float>& call, std::size_t at) {
  return hn::LoadU(FloatTag(), call.x + at);
}
template <class Input>
HWY_INLINE Vec LoadInput(const CellCall<Input, CompactEntry>& call, std::size_t at) {
  const FloatTag d;
  const hn::Rebind<CompactEntry, FloatTag> compact;
  float scale;
  std::memcpy(&scale, call.x, sizeof scale);
  const auto entries = hn::PromoteTo(hn::RebindToSigned<FloatTag>(),
                                     hn::LoadU(compact, call.x + kCompactHeader + at));
  Vec row = hn::Mul(hn::ConvertTo(d, entries), hn::Set(d, scale));
  // GCC may fuse the product with an addition, in one kernel and not in the other.
  PinToRegister(row);
  return row;
}

// Initial values of a group's accumulators; accumulator a belongs to gate a % kGates of a block.
template <class Gates, bool kPartial, class Call>
struct AccumulatorInit {
  // In the big cell only the split gate has a bias in its state part; in a small cell the suffix of
  // the state may contribute to every gate.
  static constexpr bool kHasStateInit = kPartial || Gates::kSplitGate != kNoSplitGate;
  const Call& call;
  std::size_t first;  // the group's first block

  HWY_INLINE Vec StateInit(std::size_t a) const {
    const FloatTag d;
    if constexpr (!kHasStateInit) return hn::Zero(d);
    return hn::Load(d, call.init + (a % Gates::kGates) * call.cell.init_stride() + Offset(a));
  }
  HWY_INLINE Vec InputPart(std::size_t a) const {
    return LoadInput(call, (a % Gates::kGates) * call.x_stride + Offset(a));
  }
  HWY_INLINE Vec Combined(std::size_t a) const {
    if (a % Gates::kGates == Gates::kSplitGate) return StateInit(a);
    if constexpr (!kHasStateInit) return InputPart(a);
    return hn::Add(StateInit(a), InputPart(a));
  }
  HWY_INLINE std::size_t Offset(std::size_t a) const {
    return (first + a / Gates::kGates) * hn::Lanes(FloatTag());
  }
};

// Applies the gates of kBlocks blocks and writes the new state. kPartial preserves the entries
// after the cell's last unit, which belong to a bigger cell.
template <class Gates, std::size_t kBlocks, bool kPartial, class Call>
HWY_INLINE void ApplyGates(const Call& call, std::size_t first, const Vec* sum) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
    const std::size_t at = (first + b) * lanes;
    const Vec old = hn::Load(d, call.hidden + at);
    Vec out;
    Vec state = hn::Zero(d);
    Vec input_part = hn::Zero(d);
    if constexpr (Gates::kHasCell) state = hn::Load(d, call.cell_state + at);
    if constexpr (Gates::kSplitGate != kNoSplitGate) {
      input_part = LoadInput(call, Gates::kSplitGate * call.x_stride + at);
    }
    const Vec old_state = state;
    Gates::Apply(sum + b * Gates::kGates, input_part, old, state, out);
    if (kPartial && b + 1 == kBlocks && at + lanes > call.cell.units) {
      const auto mask = hn::FirstN(d, call.cell.units - at);
      out = hn::IfThenElse(mask, out, old);
      state = hn::IfThenElse(mask, state, old_state);
    }
    hn::Store(out, d, call.out + at);
    if constexpr (Gates::kHasCell) hn::Store(state, d, call.cell_state + at);
  }
}

// Whether the gates of a big cell are applied after all groups, in phases; see ApplyGatesInPhases.
template <class Gates, class Weights, bool kPartial>
inline constexpr bool kGatesInPhases =
    !kPartial && Gates::kGates == 4 && Weights::kType != WeightType::bf16;

// One gate of as many blocks as a vector of D has; `sums` is that gate of the first block.
template <class D>
HWY_INLINE hn::Vec<D> LoadGate(D d, const float* sums) {
#if SKIM_WIDE_VECTORS
  if constexpr (hn::MaxLanes(D()) > kMaxCellLanes) {
    const FloatTag block;
    return hn::Combine(d, hn::Load(block, sums + LstmGates::kGates * hn::Lanes(block)),
                       hn::Load(block, sums));
  }
#endif
  return hn::Load(d, sums);
}

// New cell states from the powers of the gates, for the blocks of one vector from `block` on.
template <class D, class Call>
HWY_INLINE void StoreNewCells(D d, const Call& call, std::size_t block) {
  const std::size_t lanes = hn::Lanes(FloatTag());
  const float* power = call.gate_sums + LstmGates::kGates * block * lanes;
  float* cell = call.cell_state + block * lanes;
  hn::StoreU(LstmGates::NewCell(d, LoadGate(d, power), LoadGate(d, power + lanes),
                                LoadGate(d, power + 2 * lanes), hn::LoadU(d, cell)),
             d, cell);
}

// New hidden states likewise, from the new cell states.
template <class D, class Call>
HWY_INLINE void StoreNewHidden(D d, const Call& call, std::size_t block) {
  const std::size_t lanes = hn::Lanes(FloatTag());
  const float* output = call.gate_sums + (LstmGates::kGates * block + 3) * lanes;
  const auto cell = hn::LoadU(d, call.cell_state + block * lanes);
  const auto power = PowerOfTwo(d, hn::Mul(cell, hn::Set(d, kTanhFold)));
  hn::StoreU(LstmGates::NewHidden(d, LoadGate(d, output), power), d, call.out + block * lanes);
}

// Applies the gates of a whole LSTM cell to call.gate_sums: all powers, then all cell states, then
// all outputs. Within a block these wait for each other; a phase has no such chain. Phases take two
// blocks at a time where the target has vectors of that size.
template <class Call>
HWY_NOINLINE void ApplyGatesInPhases(const Call& call) {
  const FloatTag d;
  const WideFloatTag wide;
  const std::size_t blocks = call.cell.blocks;
  const std::size_t per_vector = hn::Lanes(wide) / hn::Lanes(d);
  const std::size_t paired = blocks - blocks % per_vector;
  float* HWY_RESTRICT sums = call.gate_sums;
  // Four gates are a multiple of a wide vector, whatever the number of blocks.
  const std::size_t count = LstmGates::kGates * blocks * hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += hn::Lanes(wide))
    hn::StoreU(PowerOfTwo(wide, hn::LoadU(wide, sums + i)), wide, sums + i);
  for (std::size_t b = 0; b < paired; b += per_vector) StoreNewCells(wide, call, b);
  for (std::size_t b = paired; b < blocks; ++b) StoreNewCells(d, call, b);
  for (std::size_t b = 0; b < paired; b += per_vector) StoreNewHidden(wide, call, b);
  for (std::size_t b = paired; b < blocks; ++b) StoreNewHidden(d, call, b);
}

// Runs the blocks of one group: sums over the state, plus the input projection, then the gates
// while the sums are in registers (unless kGatesInPhases). The input projection is added last
// because its row is far away in memory: it arrives while the weights are streamed.
template <class Gates, class Weights, std::size_t kBlocks, bool kPartial>
HWY_NOINLINE void RunGroup(const CellCallOf<Weights>& call, const PackGroup& group) {
  constexpr std::size_t kSums = kBlocks * Gates::kGates;
  const std::size_t first = group.first / Gates::kGates;
  const AccumulatorInit<Gates, kPartial, CellCallOf<Weights>> init_values{call, first};
  Vec sum[kSums];
  Weights::template Run<kSums>(
      call.cell.matrix, group, call.input, call.reverse_scan,
      [&](std::size_t a) HWY_ATTR {
        return Weights::kInitLast ? init_values.Combined(a) : init_values.StateInit(a);
      },
      sum);
  if constexpr (!Weights::kInitLast) {
    SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) {
      if (a % Gates::kGates != Gates::kSplitGate)
        sum[a] = hn::Add(sum[a], init_values.InputPart(a));
    }
  }
  if constexpr (kGatesInPhases<Gates, Weights, kPartial>) {
    const FloatTag d;
    float* sums = call.gate_sums + group.first * hn::Lanes(d);
    SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a)
        hn::Store(sum[a], d, sums + a * hn::Lanes(d));
  } else {
    ApplyGates<Gates, kBlocks, kPartial>(call, first, sum);
  }
}

#if SKIM_EIGHT_LANES
// Applies the gates of half a block, whose sums are packed two gates per vector; see PackedCell.
template <class Input>
HWY_INLINE void ApplyHalfBlock(const CellCall<Input>& call, std::size_t block, Vec input_forget,
                               Vec inner_output) {
  const hn::Half<FloatTag> half;
  const std::size_t at = block * hn::Lanes(FloatTag());
  const auto power = [&](std::size_t gate, auto state_part) HWY_ATTR {
    const auto input_part = hn::LoadU(half, call.x + gate * call.x_stride + at);
    return PowerOfTwo(half, hn::Add(state_part, input_part));
  };
  const auto cell = LstmGates::NewCell(half, power(0, hn::LowerHalf(half, input_forget)),
                                       power(1, hn::UpperHalf(half, input_forget)),
                                       power(2, hn::LowerHalf(half, inner_output)),
                                       hn::Load(half, call.cell_state + at));
  const auto out = LstmGates::NewHidden(half, power(3, hn::UpperHalf(half, inner_output)),
                                        PowerOfTwo(half, hn::Mul(cell, hn::Set(half, kTanhFold))));
  hn::Store(cell, half, call.cell_state + at);
  hn::Store(out, half, call.out + at);
}

// RunGroup for a group that ends in half a block.
template <class Weights, std::size_t kBlocks>
HWY_NOINLINE void RunGroupWithHalfBlock(const CellCallOf<Weights>& call, const PackGroup& group) {
  const FloatTag d;
  constexpr std::size_t kWhole = kBlocks * 4;
  const std::size_t first = group.first / 4;
  const AccumulatorInit<LstmGates, false, CellCallOf<Weights>> init_values{call, first};
  Vec sum[kWhole + 2];
  Weights::template Run<kWhole + 2>(
      call.cell.matrix, group, call.input, call.reverse_scan,
      [&](std::size_t a) HWY_ATTR { return a < kWhole ? init_values.Combined(a) : hn::Zero(d); },
      sum);
  ApplyGates<LstmGates, kBlocks, false>(call, first, sum);
  ApplyHalfBlock(call, first + kBlocks, sum[kWhole], sum[kWhole + 1]);
}
#endif

template <class Gates, class Weights, bool kPartial, std::size_t kBlocks = 1>
HWY_INLINE void DispatchGroup(std::size_t blocks, const CellCallOf<Weights>& call,
                              const PackGroup& group) {
  constexpr std::size_t kMaxBlocks =
      cell_accumulators(Weights::kType, Gates::kGates) / Gates::kGates;
  if (blocks == kBlocks) return RunGroup<Gates, Weights, kBlocks, kPartial>(call, group);
  if constexpr (kBlocks < kMaxBlocks)
    DispatchGroup<Gates, Weights, kPartial, kBlocks + 1>(blocks, call, group);
}

template <class Gates, class Weights, bool kPartial>
HWY_INLINE void RunCell(CellCallOf<Weights> call) {
  const auto& groups = call.cell.matrix.groups;
  const std::size_t count = groups.size();
  const bool reverse_scan = call.reverse_scan;
  for (std::size_t i = 0; i < count; ++i) {
    const PackGroup& group = groups[reverse_scan ? count - 1 - i : i];
    // The units at which the previous step's scan ended are the last to be ready. Where the order
    // does not matter, the first group starts at the other end (1 % of a bf16 read).
    call.reverse_scan = reverse_scan != (Weights::kOrderIndependent && i == 0);
    // Prefetches a part of the row per group: a burst of requests would delay the weights.
    if (!kPartial && call.prefetch_row != nullptr)
      PrefetchRow<Gates>(call.prefetch_row, call.x_stride, i, count);
#if SKIM_EIGHT_LANES
    if constexpr (Gates::kGates == 4 && Weights::kType == WeightType::bf16) {
      static_assert(kMaxBf16Accumulators == 8, "groups of one or two blocks");
      if (group.vectors == 10) {
        RunGroupWithHalfBlock<Weights, 2>(call, group);
        continue;
      }
      if (group.vectors == 6) {
        RunGroupWithHalfBlock<Weights, 1>(call, group);
        continue;
      }
    }
#endif
    DispatchGroup<Gates, Weights, kPartial>(group.vectors / Gates::kGates, call, group);
  }
  if constexpr (kGatesInPhases<Gates, Weights, kPartial>) ApplyGatesInPhases(call);
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
