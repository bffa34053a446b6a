// The paper's model, read or skim: the loop that must be fast. Included once a target.
//
// A skim is a chain of dependent operations, from the state through sums, powers and two divisions
// to the next state; what counts is the length of that chain. So everything that does not change is
// in locals, the decision of the next word is summed up while the state is in registers, and the
// processor guesses the branch and goes on meanwhile (a wrong guess costs some 5 ns).

#if defined(SKIM_KERNELS_TWO_LEVELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_TWO_LEVELS_INL_H_
#undef SKIM_KERNELS_TWO_LEVELS_INL_H_
#else
#define SKIM_KERNELS_TWO_LEVELS_INL_H_
#endif

#include "kernels/sequence-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// The small cell of a skim reader with two levels and a linear decision. kBlocks vectors of units;
// with kTail, one more vector holds the gates of one or two further units (CellPack::tail_units).
template <class Gates, std::size_t kBlocks, bool kTail>
class SmallCell {
 public:
  explicit SmallCell(const SequenceArgs& args)
      : cell_(*args.skim.small[0].cell),
        init_(args.skim.small[0].tail == nullptr ? cell_.init.data() : args.skim.small[0].tail_sum),
        weights_(cell_.matrix.f32()),
        columns_(cell_.matrix.columns),
        decision_(args.skim.decision->head.data()),
        cell_state_(args.cell_state),
        partial_(hn::FirstN(FloatTag(),
                            kTail ? 0 : cell_.units - (kBlocks - 1) * hn::Lanes(FloatTag()))) {}

  // One skim; x is the input's part of the gates. Returns the head's part of the next decision.
  HWY_INLINE float Run(const float* x, float* hidden) const {
    const FloatTag d;
    Vec sum[kSums];
    if constexpr (kTail) {
      SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) {
        sum[a] = hn::Add(hn::LoadU(d, x + a * hn::Lanes(d)), hn::Load(d, init_ + a * hn::Lanes(d)));
      }
    } else {
      const CellCall<float> call{cell_,  x,           cell_.units, init_, hidden,
                                 hidden, cell_state_, hidden,      false};
      const Starts<Gates, true, float> starts{call, 0};
      SKIM_UNROLL for (std::size_t a = 0; a < kSums; ++a) sum[a] = starts.Both(a);
    }
    SumColumns(hidden, sum);
    Vec out[kBlocks];
#if HWY_TARGET == HWY_AVX2
    if constexpr (kTail) return FinishWithTail(hidden, sum);
#endif
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      const std::size_t at = b * hn::Lanes(d);
      const Vec old = hn::Load(d, hidden + at);
      Vec state = hn::Zero(d);
      Vec apart = hn::Zero(d);
      if constexpr (Gates::kHasCell) state = hn::Load(d, cell_state_ + at);
      if constexpr (Gates::kApart != kNoGate)
        apart = hn::LoadU(d, x + Gates::kApart * cell_.units + at);
      const Vec old_state = state;
      Gates::Apply(sum + b * Gates::kGates, apart, old, state, out[b]);
      if (b + 1 == kBlocks) {
        out[b] = hn::IfThenElse(partial_, out[b], old);
        state = hn::IfThenElse(partial_, state, old_state);
      }
      hn::Store(out[b], d, hidden + at);
      if constexpr (Gates::kHasCell) hn::Store(state, d, cell_state_ + at);
    }
    return Product(out);
  }

  // The head's part of the decision for any state: the same sum in the same order as Run's, because
  // reading in chunks must not change a bit.
  HWY_INLINE float HeadPart(const float* hidden) const {
    const FloatTag d;
    Vec out[kBlocks];
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) out[b] =
        hn::Load(d, hidden + b * hn::Lanes(d));
#if HWY_TARGET == HWY_AVX2
    if constexpr (kTail)
      return Product(out) + TailProduct(hn::Load(HalfTag(), hidden + kBlocks * hn::Lanes(d)));
#endif
    return Product(out);
  }

 private:
  static constexpr std::size_t kSums = kBlocks * Gates::kGates + (kTail ? 1 : 0);
  // Where registers allow, even and odd columns are summed apart: half the chain.
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
  HWY_INLINE float Product(const Vec (&out)[kBlocks]) const {
    const FloatTag d;
    Vec product = hn::Mul(out[0], hn::Load(d, decision_));
    SKIM_UNROLL for (std::size_t b = 1; b < kBlocks; ++b) {
      product = hn::MulAdd(out[b], hn::Load(d, decision_ + b * hn::Lanes(d)), product);
    }
    return hn::GetLane(hn::SumOfLanes(d, product));
  }

#if HWY_TARGET == HWY_AVX2
  using HalfTag = hn::Half<FloatTag>;
  using Four = hn::Vec<HalfTag>;

  // Whole blocks and tail go through the same stages side by side: two chains that do not wait for
  // each other.
  HWY_INLINE float FinishWithTail(float* hidden, const Vec (&sum)[kSums]) const {
    const FloatTag d;
    const HalfTag half;
    const std::size_t at = kBlocks * hn::Lanes(d);
    Vec i[kBlocks], f[kBlocks], g[kBlocks], o[kBlocks], cell[kBlocks], out[kBlocks];
    const Vec tail = PowerOfTwo(d, sum[kSums - 1]);
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      i[b] = PowerOfTwo(d, sum[4 * b]);
      f[b] = PowerOfTwo(d, sum[4 * b + 1]);
      g[b] = PowerOfTwo(d, sum[4 * b + 2]);
    }
    const Four input_forget = hn::LowerHalf(half, tail);
    const Four inner_output = hn::UpperHalf(half, tail);
    const Four old_cell = hn::Load(half, cell_state_ + at);
    const Four tail_cell = LstmGates::NewCell(
        half, input_forget, hn::ConcatUpperUpper(half, input_forget, input_forget), inner_output,
        old_cell);
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      cell[b] =
          LstmGates::NewCell(d, i[b], f[b], g[b], hn::Load(d, cell_state_ + b * hn::Lanes(d)));
      o[b] = PowerOfTwo(d, sum[4 * b + 3]);
    }
    const Four tail_power = PowerOfTwo(half, hn::Mul(tail_cell, hn::Set(half, kTanhFold)));
    SKIM_UNROLL for (std::size_t b = 0; b < kBlocks; ++b) {
      out[b] =
          LstmGates::NewHidden(d, o[b], PowerOfTwo(d, hn::Mul(cell[b], hn::Set(d, kTanhFold))));
      hn::Store(out[b], d, hidden + b * hn::Lanes(d));
      hn::Store(cell[b], d, cell_state_ + b * hn::Lanes(d));
    }
    const Four tail_out = LstmGates::NewHidden(
        half, hn::ConcatUpperUpper(half, inner_output, inner_output), tail_power);
    const auto mine = hn::FirstN(half, cell_.tail_units);
    hn::Store(hn::IfThenElse(mine, tail_out, hn::Load(half, hidden + at)), half, hidden + at);
    hn::Store(hn::IfThenElse(mine, tail_cell, old_cell), half, cell_state_ + at);
    return Product(out) + TailProduct(tail_out);
  }

  HWY_INLINE float TailProduct(Four out) const {
    const HalfTag half;
    const Four weights = hn::Load(half, decision_ + kBlocks * hn::Lanes(FloatTag()));
    return hn::GetLane(hn::SumOfLanes(half, hn::Mul(out, weights)));
  }
#endif

  const CellPack& cell_;
  const float* init_;
  const float* weights_;
  std::size_t columns_;
  const float* decision_;
  float* cell_state_;
  hn::Mask<FloatTag> partial_;  // the cell's units in its last block
};

template <class Gates>
class TwoLevelLoop : public SequenceLoop<Gates> {
  using Base = SequenceLoop<Gates>;

 public:
  using Base::Base;

  // Whether this loop suits the reader; else the general one does.
  static bool Suits(const SkimArgs& skim) {
    if (skim.levels != 2 || skim.decision->kind != Decision::linear) return false;
    const CellPack* cell = skim.small[0].cell;
    return cell != nullptr && cell->matrix.groups.size() == 1 && cell->blocks <= 3;
  }

  SequenceEnd Run() {
    const CellPack& cell = *this->args_.skim.small[0].cell;
#if HWY_TARGET == HWY_AVX2
    if constexpr (Gates::kGates == 4) {
      if (cell.tail_units != 0) return cell.blocks == 1 ? RunWith<1, true>() : RunWith<2, true>();
    }
#endif
    if (cell.blocks == 1) return RunWith<1, false>();
    return cell.blocks == 2 ? RunWith<2, false>() : RunWith<3, false>();
  }

 private:
  template <std::size_t kBlocks, bool kTail>
  SequenceEnd RunWith() {
    const SmallCell<Gates, kBlocks, kTail> small(this->args_);
    const float* const* rows = this->args_.skim.rows;
    const float* limits = this->args_.skim.limits;
    const std::size_t limit_stride = this->args_.skim.limit_stride;
    const std::size_t offset = this->args_.skim.small[0].offset;
    const std::size_t count = this->args_.count;
    const GateRow small_row = this->args_.skim.small_row;
    float* certainty = this->args_.certainty;
    const std::size_t read = this->args_.big->units;
    const std::size_t skimmed = this->args_.skim.small[0].cell->units;
    float state_part = this->tail_part_[0] + small.HeadPart(this->hidden_);
    for (std::size_t t = 0; t < count; ++t) {
      const float* row = rows[t];
      const float logit = row[0] + state_part;
      certainty[t] = logit;
      if (logit > limits[t * limit_stride]) {
        this->Read(t);
        this->RenewTails();
        state_part = this->tail_part_[0] + small.HeadPart(this->hidden_);
        this->Emit(t, read);
      } else {
        if (small_row != nullptr) row = small_row(this->args_.context, t);
        state_part = this->tail_part_[0] + small.Run(row + offset, this->hidden_);
        this->Emit(t, skimmed);
      }
    }
    return {this->hidden_, this->sweep_};
  }
};

template <class Gates>
SequenceEnd RunSequence(const SequenceArgs& args) {
  if (args.skim.levels == 0) return SequenceLoop<Gates>(args).RunPlain();
  if (TwoLevelLoop<Gates>::Suits(args.skim)) return TwoLevelLoop<Gates>(args).Run();
  return SequenceLoop<Gates>(args).RunSkim();
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
