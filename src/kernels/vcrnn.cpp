#include "kernels/vcrnn.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vcrnn.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <algorithm>

#include "kernels/cells-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace {

// Adds the products of the first `columns` columns of one block to sum[g]. Two sets of
// accumulators, so that a column does not wait for the previous one.
template <std::size_t G>
HWY_INLINE void AddColumns(const float* HWY_RESTRICT weights, const float* HWY_RESTRICT input,
                           std::size_t columns, Vec (&sum)[G]) {
  const FloatTag d;
  const std::size_t stride = G * hn::Lanes(d);
  Vec other[G];
  SKIM_UNROLL for (std::size_t g = 0; g < G; ++g) other[g] = hn::Zero(d);
  std::size_t j = 0;
  for (; j + 2 <= columns; j += 2) {
    F32Weights::Step<G>(weights + j * stride, input[j], sum);
    F32Weights::Step<G>(weights + (j + 1) * stride, input[j + 1], other);
  }
  if (j < columns) F32Weights::Step<G>(weights + j * stride, input[j], sum);
  SKIM_UNROLL for (std::size_t g = 0; g < G; ++g) sum[g] = hn::Add(sum[g], other[g]);
}

template <class Gates>
HWY_INLINE void RunStep(const PackedVcrnnCell& pack, const VcrnnStep& step) {
  constexpr std::size_t G = Gates::kGates;
  constexpr bool kHasSplitGate = Gates::kSplitGate < G;
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t blocks = (step.units + lanes - 1) / lanes;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * lanes;
    Vec sum[G];
    SKIM_UNROLL for (std::size_t g = 0; g < G; ++g) {
      sum[g] = hn::Load(d, pack.bias.data() + (block * G + g) * lanes);
    }
    AddColumns<G>(pack.weight_ih.data() + block * pack.inputs * G * lanes, step.x, step.inputs,
                  sum);
    Vec input_part = hn::Zero(d);
    if constexpr (kHasSplitGate) {
      input_part = sum[Gates::kSplitGate];
      sum[Gates::kSplitGate] = hn::Load(d, pack.bias_hn.data() + first);
    }
    AddColumns<G>(pack.weight_hh.data() + block * pack.units * G * lanes, step.hidden, step.units,
                  sum);
    const auto changed = hn::FirstN(d, std::min(lanes, step.units - first));
    const Vec hidden = hn::LoadU(d, step.hidden + first);
    Vec cell = hn::Zero(d), out;
    if constexpr (Gates::kHasCell) cell = hn::LoadU(d, step.cell + first);
    Vec new_cell = cell;
    Gates::Apply(sum, input_part, hidden, new_cell, out);
    if constexpr (Gates::kHasCell)
      hn::StoreU(hn::IfThenElse(changed, new_cell, cell), d, step.cell + first);
    hn::StoreU(hn::IfThenElse(changed, out, hidden), d, step.next + first);
  }
  // Copied last: every block must see the previous state.
  std::copy_n(step.next, blocks * lanes, step.hidden);
}

void VcrnnForward(const PackedVcrnnCell& pack, const VcrnnStep& step) {
  switch (pack.cell) {
    case Cell::lstm:
      return RunStep<LstmGates>(pack, step);
    case Cell::gru:
      return RunStep<GruGates>(pack, step);
    case Cell::rnn:
      return RunStep<RnnGates>(pack, step);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(VcrnnForward);

void vcrnn_step(const PackedVcrnnCell& pack, const VcrnnStep& step) noexcept {
  HWY_DYNAMIC_DISPATCH(VcrnnForward)(pack, step);
}

}  // namespace skim
#endif
