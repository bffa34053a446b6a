// The loop over a sequence, for one kind of cell and one type of weights. Included once a target.

#if defined(SKIM_KERNELS_SEQUENCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_SEQUENCE_INL_H_
#undef SKIM_KERNELS_SEQUENCE_INL_H_
#else
#define SKIM_KERNELS_SEQUENCE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/matvec-inl.h"
#include "kernels/run_cell-inl.h"
#include "kernels/sequence.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

HWY_INLINE float Dot(const float* left, const float* right, std::size_t from, std::size_t to) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  Vec even = hn::Zero(d);
  Vec odd = hn::Zero(d);
  std::size_t block = from;
  for (; block + 2 <= to; block += 2) {
    even =
        hn::MulAdd(hn::LoadU(d, left + block * lanes), hn::LoadU(d, right + block * lanes), even);
    odd = hn::MulAdd(hn::LoadU(d, left + (block + 1) * lanes),
                     hn::LoadU(d, right + (block + 1) * lanes), odd);
  }
  if (block < to)
    even =
        hn::MulAdd(hn::LoadU(d, left + block * lanes), hn::LoadU(d, right + block * lanes), even);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

// The outputs of a plain product, no gates: out = init + matrix * input.
template <std::size_t A = 1>
HWY_INLINE void ProductOf(std::size_t vectors, const PackedMatrix& matrix, const PackGroup& group,
                          const float* init, const float* input, float* out) {
  if constexpr (A <= kMaxAccumulators) {
    if (vectors != A) return ProductOf<A + 1>(vectors, matrix, group, init, input, out);
    const FloatTag d;
    const std::size_t at = group.first * hn::Lanes(d);
    Vec sum[A];
    F32Weights::Run<A>(
        matrix, group, input, false,
        [&](std::size_t a) HWY_ATTR { return hn::LoadU(d, init + at + a * hn::Lanes(d)); }, sum);
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a)
        hn::StoreU(sum[a], d, out + at + a * hn::Lanes(d));
  }
}

HWY_INLINE void Product(const PackedMatrix& matrix, const float* init, const float* input,
                        float* out) {
  for (const PackGroup& group : matrix.groups) {
    ProductOf(group.vectors, matrix, group, init, input, out);
  }
}

// One read: the big cell over the state, from `hidden` into `next`. Called through a pointer, so
// that the loops below exist once a cell and not once a type of weights: a call is nothing beside a
// read.
// `ahead` is the next step's row where that is known to be read, else null.
using ReadStep = void (*)(const SequenceArgs& args, const float* x, const float* ahead,
                          const float* hidden, float* next, bool backwards);

template <class Gates, class Weights>
void ReadWith(const SequenceArgs& args, const float* x, const float* ahead, const float* hidden,
              float* next, bool backwards) {
  const CellPack& big = *args.big;
  if (ahead == nullptr) FetchRow(x, 0, Gates::kGates * args.big_stride);
  const typename Weights::Input* input;
  if constexpr (Weights::kType == WeightType::f32) {
    input = hidden;
  } else {
    auto* rounded = reinterpret_cast<typename Weights::Input*>(args.rounded);
    Weights::RoundState(hidden, big.blocks * hn::Lanes(FloatTag()), rounded);
    input = rounded;
  }
  RunCell<Gates, Weights, false>({big, x, args.big_stride, big.init.data(), input, hidden,
                                  args.cell_state, next, backwards, ahead});
}

template <class Gates>
ReadStep ReadStepOf(WeightType type) {
  switch (type) {
    case WeightType::f32:
      return ReadWith<Gates, F32Weights>;
    case WeightType::bf16:
      return ReadWith<Gates, Bf16Weights>;
    case WeightType::int8:
      return ReadWith<Gates, Int8Weights>;
  }
  return nullptr;
}

template <class Gates>
class SequenceLoop {
 public:
  explicit SequenceLoop(const SequenceArgs& args)
      : args_(args),
        read_(ReadStepOf<Gates>(args.big->matrix.type)),
        hidden_(args.hidden),
        next_(args.next),
        sweep_(args.sweep),
        log_(args.log),
        row_(args.rows) {
    if (args.skim.levels != 0) RenewTails();
  }

  SequenceEnd RunPlain() {
    const std::size_t width = args_.big->units;
    for (std::size_t t = 0; t < args_.count; ++t) {
      Read(t, Ahead(t + 1));
      Emit(t, width);
    }
    return {hidden_, sweep_};
  }

  SequenceEnd RunSkim() {
    const bool two = args_.skim.levels == 2;
    const bool dot = args_.skim.decision->kind == Decision::dot;
    RenewHead();
    for (std::size_t t = 0; t < args_.count; ++t) {
      if (dot) DotProduct(t);
      const std::size_t level = two ? ChooseOfTwo(t) : Choose(t);
      Emit(t, Take(t, level));
      if (!dot) RenewHead();
    }
    return {hidden_, sweep_};
  }

 protected:
  std::size_t ChooseOfTwo(std::size_t t) const {
    const float logit = args_.skim.rows[t][0] + state_part_[0];
    args_.certainty[t] = logit;
    return logit > args_.skim.limits[t * args_.skim.limit_stride] ? 0 : 1;
  }

  // The first level at which the summed probability exceeds the limit; the last when none does.
  std::size_t Choose(std::size_t t) const {
    const std::size_t levels = args_.skim.levels;
    float power[kMaxLevels];
    float highest = 0;  // the last level's logit: all are differences from it
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      power[l] = args_.skim.rows[t][l] + state_part_[l];
      highest = std::max(highest, power[l]);
    }
    power[levels - 1] = 0;
    float total = 0;
    for (std::size_t l = 0; l < levels; ++l) {
      power[l] = std::exp(power[l] - highest);
      total += power[l];
    }
    args_.certainty[t] = power[0] / total;
    if (args_.skim.argmax) {
      return static_cast<std::size_t>(std::max_element(power, power + levels) - power);
    }
    const float limit = args_.skim.limits[t * args_.skim.limit_stride] * total;
    float sum = 0;
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      sum += power[l];
      if (sum > limit) return l;
    }
    return levels - 1;
  }

  std::size_t Take(std::size_t t, std::size_t level) {
    if (level == 0) {
      Read(t);
      RenewTails();
      return args_.big->units;
    }
    const CellPack* cell = args_.skim.small[level - 1].cell;
    if (cell == nullptr) return 0;
    Skim(t, level - 1);
    return cell->units;
  }

  // Of the gates of small cells.
  const float* SmallRow(std::size_t t) const {
    return args_.skim.small_row == nullptr ? args_.skim.rows[t]
                                           : args_.skim.small_row(args_.context, t);
  }

  const float* Ahead(std::size_t t) const {
    return t < args_.count && args_.big_ahead != nullptr ? args_.big_ahead(args_.context, t)
                                                         : nullptr;
  }

  void Read(std::size_t t, const float* ahead = nullptr) {
    read_(args_, args_.big_row(args_.context, t), ahead, hidden_, next_, (sweep_ & 1U) != 0);
    ++sweep_;
    std::swap(hidden_, next_);
  }

  // A cell of one group has read all of the state before it writes any; a wider one writes beside
  // it.
  void Skim(std::size_t t, std::size_t index) {
    const SmallLevel& level = args_.skim.small[index];
    const CellPack& cell = *level.cell;
    const bool in_place = cell.matrix.groups.size() == 1;
    const float* init = level.tail == nullptr ? cell.init.data() : level.tail_sum;
    RunCell<Gates, F32Weights, true>({cell, SmallRow(t) + level.offset, cell.units, init, hidden_,
                                      hidden_, args_.cell_state, in_place ? hidden_ : next_,
                                      false});
    if (!in_place) std::memcpy(hidden_, next_, cell.units * sizeof(float));
  }

  // What the state's tail adds to decision and small cells: constant between two reads.
  void RenewTails() {
    const DecisionPack& decision = *args_.skim.decision;
    const std::size_t padded = decision.blocks * hn::Lanes(FloatTag());
    if (decision.kind != Decision::dot) {
      for (std::size_t r = 0; r < decision.rows; ++r) {
        tail_part_[r] =
            Dot(decision.tail.data() + r * padded, hidden_, decision.tail_from, decision.blocks);
        if (decision.kind == Decision::linear_cell) {
          tail_part_[r] += Dot(decision.cell_tail.data() + r * padded, args_.cell_state,
                               decision.tail_from, decision.blocks);
        }
      }
    }
    for (std::size_t l = 0; l + 1 < args_.skim.levels; ++l) {
      const SmallLevel& level = args_.skim.small[l];
      if (level.tail == nullptr) continue;
      Product(*level.tail, level.cell->init.data(), hidden_ + decision.head_width, level.tail_sum);
    }
  }

  void RenewHead() {
    const DecisionPack& decision = *args_.skim.decision;
    if (decision.kind == Decision::dot) return;
    const std::size_t padded = decision.blocks * hn::Lanes(FloatTag());
    for (std::size_t r = 0; r < decision.rows; ++r) {
      state_part_[r] =
          tail_part_[r] + Dot(decision.head.data() + r * padded, hidden_, 0, decision.head_blocks);
      if (decision.kind == Decision::linear_cell) {
        state_part_[r] +=
            Dot(decision.cell_head.data() + r * padded, args_.cell_state, 0, decision.head_blocks);
      }
    }
  }

  void DotProduct(std::size_t t) {
    const DecisionPack& decision = *args_.skim.decision;
    const std::size_t lanes = hn::Lanes(FloatTag());
    const std::size_t whole = decision.width / lanes;
    float product = Dot(args_.skim.inputs[t], hidden_, 0, whole);
    for (std::size_t j = whole * lanes; j < decision.width; ++j)
      product += args_.skim.inputs[t][j] * hidden_[j];
    for (std::size_t r = 0; r < decision.rows; ++r) state_part_[r] = decision.scale[r] * product;
  }

  void Emit(std::size_t t, std::size_t width) {
    args_.widths[t] = static_cast<std::uint16_t>(width);
    if (row_ != nullptr) {
      std::memcpy(row_, hidden_, args_.big->units * sizeof(float));
      row_ += args_.row_stride;
    }
    if (log_ != nullptr) AppendToLog(width);
  }

  // Whole vectors: what is written too much, the next step overwrites.
  void AppendToLog(std::size_t width) {
    const FloatTag d;
    for (std::size_t i = 0; i < width; i += hn::Lanes(d))
      hn::StoreU(hn::Load(d, hidden_ + i), d, log_ + i);
    log_ += width;
  }

  const SequenceArgs& args_;
  ReadStep read_;
  float* hidden_;
  float* next_;
  std::uint32_t sweep_;
  float* log_;
  float* row_;
  float state_part_[kMaxLevels] = {};
  float tail_part_[kMaxLevels] = {};
};

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
