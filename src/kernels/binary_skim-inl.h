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

  // One skim step of each of N sequences; x is the input projection of the gates. Sets `logit` to
  // the prefix part of the next decision logit. The chains of the sequences overlap.
  template <std::size_t N>
  HWY_INLINE void Run(const float* const (&x)[N], const SmallState (&state)[N],
                      float (&logit)[N]) const {
    Vec sum[N][kSums];
    SKIM_UNROLL for (std::size_t n = 0; n < N; ++n) InitSums(x[n], state[n], sum[n]);
    SumColumns(state, sum);
#if SKIM_EIGHT_LANES
    if constexpr (kRemainder) return FinishWithRemainder(state, sum, logit);
#endif
    SKIM_UNROLL for (std::size_t n = 0; n < N; ++n) logit[n] = Finish(x[n], state[n], sum[n]);
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

  HWY_INLINE void InitSums(const float* x, const SmallState& state, Vec (&sum)[kSums]) const {
    const FloatTag d;
    if constexpr (kRemainder) {
      SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) {
        sum[a] =
            hn::Add(hn::LoadU(d, x + a * hn::Lanes(d)), hn::Load(d, state.init + a * hn::Lanes(d)));
      }
    } else {
      const CellCall<float> call{cell_,        x,          cell_.units,  state.init, state.hidden,
                                 state.hidden, state.cell, state.hidden, false};
      const AccumulatorInit<Gates, true, CellCall<float>> init_values{call, 0};
      SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) sum[a] = init_values.Combined(a);
    }
  }

  // Adds the products of one column for all sequences.
  template <std::size_t N>
  HWY_INLINE void AddColumn(std::size_t j, const SmallState (&state)[N],
                            Vec (&sum)[N][kSums]) const {
    const float* weights = weights_ + j * kSums * hn::Lanes(FloatTag());
    SKIM_UNROLL for (std::size_t n = 0; n < N; ++n)
        F32Weights::Step<kSums>(weights, state[n].hidden[j], sum[n]);
  }

  template <std::size_t N>
  HWY_INLINE void SumColumns(const SmallState (&state)[N], Vec (&sum)[N][kSums]) const {
    if constexpr (kTwoChains) {
      Vec odd[N][kSums];
      SKIM_UNROLL for (std::size_t n = 0; n < N; ++n) {
        SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) odd[n][a] = hn::Zero(FloatTag());
      }
      std::size_t j = 0;
      for (; j + 2 <= columns_; j += 2) {
        AddColumn(j, state, sum);
        AddColumn(j + 1, state, odd);
      }
      if (j < columns_) AddColumn(j, state, sum);
      SKIM_UNROLL for (std::size_t n = 0; n < N; ++n) {
        SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) sum[n][a] =
            hn::Add(sum[n][a], odd[n][a]);
      }
    } else {
      for (std::size_t j = 0; j < columns_; ++j) AddColumn(j, state, sum);
    }
  }

  HWY_INLINE float Finish(const float* x, const SmallState& state, const Vec (&sum)[kSums]) const {
    const FloatTag d;
    Vec out[kBlocks];
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      const std::size_t at = b * hn::Lanes(d);
      const Vec old = hn::Load(d, state.hidden + at);
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
      hn::Store(out[b], d, state.hidden + at);
      if constexpr (Gates::kHasCell) hn::Store(cell, d, state.cell + at);
    }
    return DecisionDot(out);
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

  // The gates of one sequence, between the phases of FinishWithRemainder.
  struct Gated {
    Vec i[kBlocks], f[kBlocks], g[kBlocks], o[kBlocks], cell[kBlocks], out[kBlocks];
    HalfVec input_forget, inner_output, old_remainder, remainder_cell, remainder_power;
  };

  // Applies the gates of the whole blocks and of the remainder side by side, phase by phase for all
  // sequences: independent chains.
  template <std::size_t N>
  HWY_INLINE void FinishWithRemainder(const SmallState (&state)[N], const Vec (&sum)[N][kSums],
                                      float (&logit)[N]) const {
    Gated gated[N];
    SKIM_UNROLL for (std::size_t n = 0; n < N; ++n) InputGates(sum[n], gated[n]);
    SKIM_UNROLL for (std::size_t n = 0; n < N; ++n) CellStates(state[n], sum[n], gated[n]);
    SKIM_UNROLL for (std::size_t n = 0; n < N; ++n) logit[n] = Outputs(state[n], gated[n]);
  }

  HWY_INLINE void InputGates(const Vec (&sum)[kSums], Gated& to) const {
    const FloatTag d;
    const HalfTag half;
    const Vec remainder = PowerOfTwo(d, sum[kSums - 1]);
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      to.i[b] = PowerOfTwo(d, sum[4 * b]);
      to.f[b] = PowerOfTwo(d, sum[4 * b + 1]);
      to.g[b] = PowerOfTwo(d, sum[4 * b + 2]);
    }
    to.input_forget = hn::LowerHalf(half, remainder);
    to.inner_output = hn::UpperHalf(half, remainder);
  }

  HWY_INLINE void CellStates(const SmallState& state, const Vec (&sum)[kSums], Gated& to) const {
    const FloatTag d;
    const HalfTag half;
    to.old_remainder = hn::Load(half, state.cell + kBlocks * hn::Lanes(d));
    to.remainder_cell = LstmGates::NewCell(
        half, to.input_forget, hn::ConcatUpperUpper(half, to.input_forget, to.input_forget),
        to.inner_output, to.old_remainder);
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      to.cell[b] = LstmGates::NewCell(d, to.i[b], to.f[b], to.g[b],
                                      hn::Load(d, state.cell + b * hn::Lanes(d)));
      to.o[b] = PowerOfTwo(d, sum[4 * b + 3]);
    }
    to.remainder_power = PowerOfTwo(half, hn::Mul(to.remainder_cell, hn::Set(half, kTanhFold)));
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      to.out[b] = LstmGates::NewHidden(d, to.o[b],
                                       PowerOfTwo(d, hn::Mul(to.cell[b], hn::Set(d, kTanhFold))));
    }
  }

  // Stores the new state and returns the prefix part of the next decision logit.
  HWY_INLINE float Outputs(const SmallState& state, const Gated& from) const {
    const FloatTag d;
    const HalfTag half;
    const std::size_t at = kBlocks * hn::Lanes(d);
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      hn::Store(from.out[b], d, state.hidden + b * hn::Lanes(d));
      hn::Store(from.cell[b], d, state.cell + b * hn::Lanes(d));
    }
    const HalfVec out =
        LstmGates::NewHidden(half, hn::ConcatUpperUpper(half, from.inner_output, from.inner_output),
                             from.remainder_power);
    const auto used = hn::FirstN(half, cell_.remainder_units);
    hn::Store(hn::IfThenElse(used, out, hn::Load(half, state.hidden + at)), half,
              state.hidden + at);
    hn::Store(hn::IfThenElse(used, from.remainder_cell, from.old_remainder), half, state.cell + at);
    return DecisionDot(from.out) + RemainderDot(out);
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
        float prefix_logit[1];
        small.Run({row + offset}, {{this->hidden_, cell_state, init}}, prefix_logit);
        state_logit = this->suffix_logit_[0] + prefix_logit[0];
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
