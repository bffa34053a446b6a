// The forward loop of the paper's model: two levels (read or skim) and a linear decision. Included
// once per target.
//
// A skim is a chain of dependent operations, from the state through sums, powers of two and two
// divisions to the next state; the length of that chain is the cost. Therefore all invariants are
// in locals, the next decision is computed while the state is in registers, and the branch
// predictor lets the processor continue meanwhile (a misprediction costs about 5 ns).

#if defined(SKIM_KERNELS_BINARY_SKIM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_BINARY_SKIM_INL_H_
#undef SKIM_KERNELS_BINARY_SKIM_INL_H_
#else
#define SKIM_KERNELS_BINARY_SKIM_INL_H_
#endif

#include "kernels/sequence-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// The state of a sequence, as far as a skim needs it.
struct SmallState {
  float* hidden;
  float* cell;        // LSTM
  const float* init;  // initial values of the sums; with SmallInput::full they change at every read
};

HWY_INLINE const float* SmallInit(const SkimArgs& skim) {
  const SmallLevel& level = skim.small[0];
  return level.suffix == nullptr ? level.cell->init.data() : level.suffix_sum;
}

// The small cell of a skim reader with two levels and a linear decision: kBlocks vectors of units;
// with kRemainder, one more vector holds the gates of one or two further units
// (PackedCell::remainder_units).
template <class Gates, std::size_t kBlocks, bool kRemainder>
class SmallCell {
 public:
  explicit SmallCell(const SkimArgs& skim)
      : cell_(*skim.small[0].cell),
        weights_(cell_.matrix.f32()),
        columns_(cell_.matrix.columns),
        decision_(skim.decision->prefix.data()),
        partial_(hn::FirstN(
            FloatTag(), kRemainder ? 0 : cell_.units - (kBlocks - 1) * hn::Lanes(FloatTag()))) {}

  // One skim step; x is the input projection of the gates. Returns the prefix part of the next
  // decision logit.
  HWY_INLINE float Run(const float* x, const SmallState& state) const {
    const FloatTag d;
    float* hidden = state.hidden;
    Vec sum[kSums];
    if constexpr (kRemainder) {
      SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) {
        sum[a] =
            hn::Add(hn::LoadU(d, x + a * hn::Lanes(d)), hn::Load(d, state.init + a * hn::Lanes(d)));
      }
    } else {
      const CellCall<float> call{cell_,  x,          cell_.units, state.init, hidden,
                                 hidden, state.cell, hidden,      false};
      const AccumulatorInit<Gates, true, float> init_values{call, 0};
      SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) sum[a] = init_values.Combined(a);
    }
    SumColumns(hidden, sum);
    Vec out[kBlocks];
#if SKIM_EIGHT_LANES
    if constexpr (kRemainder) return FinishWithRemainder(state, sum);
#endif
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      const std::size_t at = b * hn::Lanes(d);
      const Vec old = hn::Load(d, hidden + at);
      Vec cell = hn::Zero(d);
      Vec input_part = hn::Zero(d);
      if constexpr (Gates::kHasCell) cell = hn::Load(d, state.cell + at);
      if constexpr (Gates::kSplitGate != kNoSplitGate)
        input_part = hn::LoadU(d, x + Gates::kSplitGate * cell_.units + at);
      const Vec old_cell = cell;
      Gates::Apply(sum + b * Gates::kGates, input_part, old, cell, out[b]);
      if (b + 1 == kBlocks) {
        out[b] = hn::IfThenElse(partial_, out[b], old);
        cell = hn::IfThenElse(partial_, cell, old_cell);
      }
      hn::Store(out[b], d, hidden + at);
      if constexpr (Gates::kHasCell) hn::Store(cell, d, state.cell + at);
    }
    return DecisionDot(out);
  }

  // The prefix part of the decision logit for any state: the same sum in the same order as in Run,
  // because reading in chunks must be bit-identical.
  HWY_INLINE float PrefixLogit(const float* hidden) const {
    const FloatTag d;
    Vec out[kBlocks];
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) out[b] =
        hn::Load(d, hidden + b * hn::Lanes(d));
#if SKIM_EIGHT_LANES
    if constexpr (kRemainder)
      return DecisionDot(out) + RemainderDot(hn::Load(HalfTag(), hidden + kBlocks * hn::Lanes(d)));
#endif
    return DecisionDot(out);
  }

 private:
  static constexpr std::size_t kSums = kBlocks * Gates::kGates + (kRemainder ? 1 : 0);
  // Where registers allow, even and odd columns are summed separately, which halves the chain.
  static constexpr bool kTwoChains = kSums <= 6;

  HWY_INLINE void SumColumns(const float* hidden, Vec (&sum)[kSums]) const {
    const FloatTag d;
    const std::size_t stride = kSums * hn::Lanes(d);
    if constexpr (kTwoChains) {
      Vec odd[kSums];
      SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) odd[a] = hn::Zero(d);
      std::size_t j = 0;
      for (; j + 2 <= columns_; j += 2) {
        F32Weights::Step<kSums>(weights_ + j * stride, hidden[j], sum);
        F32Weights::Step<kSums>(weights_ + (j + 1) * stride, hidden[j + 1], odd);
      }
      if (j < columns_) F32Weights::Step<kSums>(weights_ + j * stride, hidden[j], sum);
      SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) sum[a] = hn::Add(sum[a], odd[a]);
    } else {
      for (std::size_t j = 0; j < columns_; ++j)
        F32Weights::Step<kSums>(weights_ + j * stride, hidden[j], sum);
    }
  }

  // The decision's weights are zero beyond the cell's units.
  HWY_INLINE float DecisionDot(const Vec (&out)[kBlocks]) const {
    const FloatTag d;
    Vec product = hn::Mul(out[0], hn::Load(d, decision_));
    SKIM_UNROLL for (std::size_t b = 1; b < kBlocks; ++b) {
      product = hn::MulAdd(out[b], hn::Load(d, decision_ + b * hn::Lanes(d)), product);
    }
    return hn::GetLane(hn::SumOfLanes(d, product));
  }

#if SKIM_EIGHT_LANES
  using HalfTag = hn::Half<FloatTag>;
  using HalfVec = hn::Vec<HalfTag>;

  // Applies the gates of the whole blocks and of the remainder side by side: two independent
  // chains.
  HWY_INLINE float FinishWithRemainder(const SmallState& state, const Vec (&sum)[kSums]) const {
    const FloatTag d;
    const HalfTag half;
    float* hidden = state.hidden;
    const std::size_t at = kBlocks * hn::Lanes(d);
    Vec i[kBlocks], f[kBlocks], g[kBlocks], o[kBlocks], cell[kBlocks], out[kBlocks];
    const Vec remainder = PowerOfTwo(d, sum[kSums - 1]);
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      i[b] = PowerOfTwo(d, sum[4 * b]);
      f[b] = PowerOfTwo(d, sum[4 * b + 1]);
      g[b] = PowerOfTwo(d, sum[4 * b + 2]);
    }
    const HalfVec input_forget = hn::LowerHalf(half, remainder);
    const HalfVec inner_output = hn::UpperHalf(half, remainder);
    const HalfVec old_cell = hn::Load(half, state.cell + at);
    const HalfVec remainder_cell = LstmGates::NewCell(
        half, input_forget, hn::ConcatUpperUpper(half, input_forget, input_forget), inner_output,
        old_cell);
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      cell[b] = LstmGates::NewCell(d, i[b], f[b], g[b], hn::Load(d, state.cell + b * hn::Lanes(d)));
      o[b] = PowerOfTwo(d, sum[4 * b + 3]);
    }
    const HalfVec remainder_power =
        PowerOfTwo(half, hn::Mul(remainder_cell, hn::Set(half, kTanhFold)));
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      out[b] =
          LstmGates::NewHidden(d, o[b], PowerOfTwo(d, hn::Mul(cell[b], hn::Set(d, kTanhFold))));
      hn::Store(out[b], d, hidden + b * hn::Lanes(d));
      hn::Store(cell[b], d, state.cell + b * hn::Lanes(d));
    }
    const HalfVec remainder_out = LstmGates::NewHidden(
        half, hn::ConcatUpperUpper(half, inner_output, inner_output), remainder_power);
    const auto used = hn::FirstN(half, cell_.remainder_units);
    hn::Store(hn::IfThenElse(used, remainder_out, hn::Load(half, hidden + at)), half, hidden + at);
    hn::Store(hn::IfThenElse(used, remainder_cell, old_cell), half, state.cell + at);
    return DecisionDot(out) + RemainderDot(remainder_out);
  }

  HWY_INLINE float RemainderDot(HalfVec out) const {
    const HalfTag half;
    const HalfVec weights = hn::Load(half, decision_ + kBlocks * hn::Lanes(FloatTag()));
    return hn::GetLane(hn::SumOfLanes(half, hn::Mul(out, weights)));
  }
#endif

  const PackedCell& cell_;
  const float* weights_;
  std::size_t columns_;
  const float* decision_;
  hn::Mask<FloatTag> partial_;  // the cell's units in its last block
};

template <class Gates>
class BinarySkimLoop : public SequenceLoop<Gates> {
  using Base = SequenceLoop<Gates>;

 public:
  using Base::Base;

  // Whether this loop supports the reader; otherwise SequenceLoop::RunSkim does.
  static bool Supports(const SkimArgs& skim) {
    if (skim.levels != 2 || skim.decision->kind != Decision::linear) return false;
    const PackedCell* cell = skim.small[0].cell;
    return cell != nullptr && cell->matrix.groups.size() == 1 && cell->blocks <= 3;
  }

  SequenceResult Run() {
    const PackedCell& cell = *this->args_.skim.small[0].cell;
#if SKIM_EIGHT_LANES
    if constexpr (Gates::kGates == 4) {
      if (cell.remainder_units != 0)
        return cell.blocks == 1 ? RunWith<1, true>() : RunWith<2, true>();
    }
#endif
    if (cell.blocks == 1) return RunWith<1, false>();
    return cell.blocks == 2 ? RunWith<2, false>() : RunWith<3, false>();
  }

 private:
  template <std::size_t kBlocks, bool kRemainder>
  SequenceResult RunWith() {
    const SmallCell<Gates, kBlocks, kRemainder> small(this->args_.skim);
    const float* init = SmallInit(this->args_.skim);
    float* cell_state = this->args_.cell_state;
    const float* const* rows = this->args_.skim.rows;
    const float* thresholds = this->args_.skim.thresholds;
    const std::size_t threshold_stride = this->args_.skim.threshold_stride;
    const std::size_t offset = this->args_.skim.small[0].offset;
    const std::size_t count = this->args_.count;
    const GateRowFn small_row = this->args_.skim.small_row;
    float* read_logit = this->args_.read_logit;
    const std::size_t hidden_size = this->args_.big->units;
    const std::size_t skim_size = this->args_.skim.small[0].cell->units;
    float state_logit = this->suffix_logit_[0] + small.PrefixLogit(this->hidden_);
    for (std::size_t t = 0; t < count; ++t) {
      const float* row = rows[t];
      const float logit = row[0] + state_logit;
      read_logit[t] = logit;
      if (logit > thresholds[t * threshold_stride]) {
        this->Read(t);
        this->UpdateSuffixSums();
        state_logit = this->suffix_logit_[0] + small.PrefixLogit(this->hidden_);
        this->WriteStep(t, hidden_size);
      } else {
        if (small_row != nullptr) row = small_row(this->args_.context, t);
        state_logit =
            this->suffix_logit_[0] + small.Run(row + offset, {this->hidden_, cell_state, init});
        this->WriteStep(t, skim_size);
      }
    }
    return {this->hidden_, this->weight_scan_direction_};
  }
};

template <class Gates>
SequenceResult SequenceForward(const SequenceArgs& args) {
  if (args.skim.levels == 0) return SequenceLoop<Gates>(args).RunDense();
  if (BinarySkimLoop<Gates>::Supports(args.skim)) return BinarySkimLoop<Gates>(args).Run();
  return SequenceLoop<Gates>(args).RunSkim();
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
