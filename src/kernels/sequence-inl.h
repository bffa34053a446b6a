// The forward pass over a sequence for one kind of cell. Included once per target.

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

// Matrix-vector product of one group without gates: out = init + matrix * input.
template <std::size_t A = 1>
HWY_INLINE void MatVecGroup(std::size_t vectors, const PackedMatrix& matrix, const PackGroup& group,
                            const float* init, const float* input, float* out) {
  if constexpr (A <= kMaxAccumulators) {
    if (vectors != A) return MatVecGroup<A + 1>(vectors, matrix, group, init, input, out);
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

HWY_INLINE void MatVec(const PackedMatrix& matrix, const float* init, const float* input,
                       float* out) {
  for (const PackGroup& group : matrix.groups) {
    MatVecGroup(group.vectors, matrix, group, init, input, out);
  }
}

// One read: a step of the big cell from `hidden` into `next`. A function pointer, so that the loops
// below are compiled once per cell and not once per weight type; the call is negligible beside a
// read. `prefetch_row` is the input projection of the next step when that step is certain to be
// read, else null.
using ReadStepFn = void (*)(const SequenceArgs& args, const void* x, const void* prefetch_row,
                            const float* hidden, float* next, bool reverse_scan);

template <class Gates, class Weights>
void ReadStepWith(const SequenceArgs& args, const void* x, const void* prefetch_row,
                  const float* hidden, float* next, bool reverse_scan) {
  using Row = typename Weights::Row;
  const PackedCell& big = *args.big;
  const auto* row = static_cast<const Row*>(x);
  if (prefetch_row == nullptr) PrefetchRow<Gates>(row, args.big_stride);
  const typename Weights::Input* input;
  if constexpr (Weights::kType == WeightType::f32) {
    input = hidden;
  } else {
    auto* quantized_hidden = reinterpret_cast<typename Weights::Input*>(args.quantized_hidden);
    Weights::QuantizeState(hidden, big.blocks * hn::Lanes(FloatTag()), quantized_hidden);
    input = quantized_hidden;
  }
  RunCell<Gates, Weights, false>({big, row, args.big_stride, big.init.data(), input, hidden,
                                  args.cell_state, next, reverse_scan, args.gate_sums,
                                  static_cast<const Row*>(prefetch_row)});
}

template <class Gates>
ReadStepFn SelectReadStep(const SequenceArgs& args) {
  const PackedMatrix& matrix = args.big->matrix;
#if SKIM_MAYBE_BYTE_DOT
  if (matrix.dot && matrix.type == WeightType::int8) {
    return args.compact_rows ? ReadStepWith<Gates, WithCompactRows<Int8DotWeights>>
                             : ReadStepWith<Gates, Int8DotWeights>;
  }
#endif
#if SKIM_MAYBE_VNNI
  if (matrix.dot && matrix.type == WeightType::bf16) return ReadStepWith<Gates, Bf16DotWeights>;
#endif
  switch (matrix.type) {
    case WeightType::f32:
      return ReadStepWith<Gates, F32Weights>;
    case WeightType::bf16:
      return ReadStepWith<Gates, Bf16Weights>;
    case WeightType::int8:
      return args.compact_rows ? ReadStepWith<Gates, WithCompactRows<Int8Weights>>
                               : ReadStepWith<Gates, Int8Weights>;
  }
  return nullptr;
}

// Contribution of the state's suffix to the decision logits and the small cells; constant between
// two reads.
HWY_INLINE void ComputeSuffixSums(const SequenceArgs& args, const float* hidden,
                                  float* suffix_logits) {
  const PackedDecision& decision = *args.skim.decision;
  const std::size_t padded = decision.blocks * hn::Lanes(FloatTag());
  if (decision.kind != Decision::dot) {
    for (std::size_t r = 0; r < decision.rows; ++r) {
      suffix_logits[r] = Dot(decision.suffix.data() + r * padded, hidden,
                             decision.suffix_first_block, decision.blocks);
      if (decision.kind == Decision::linear_cell) {
        suffix_logits[r] += Dot(decision.cell_suffix.data() + r * padded, args.cell_state,
                                decision.suffix_first_block, decision.blocks);
      }
    }
  }
  for (std::size_t l = 0; l + 1 < args.skim.levels; ++l) {
    const SmallLevel& level = args.skim.small[l];
    if (level.suffix == nullptr) continue;
    MatVec(*level.suffix, level.cell->init.data(), hidden + decision.prefix_width,
           level.suffix_sum);
  }
}

// Appends the first `width` entries of the state to the log and returns its new end. Stores whole
// vectors; the next step overwrites the excess.
HWY_INLINE float* AppendToLog(const float* hidden, std::size_t width, float* log) {
  const FloatTag d;
  for (std::size_t i = 0; i < width; i += hn::Lanes(d))
    hn::StoreU(hn::Load(d, hidden + i), d, log + i);
  return log + width;
}

// The loop over the steps of a sequence: the dense reader, and the general skim reader with any
// number of levels and any decision. BinarySkimLoop specializes it for the paper's model.
template <class Gates>
class SequenceLoop {
 public:
  explicit SequenceLoop(const SequenceArgs& args)
      : args_(args),
        read_(SelectReadStep<Gates>(args)),
        hidden_(args.hidden),
        next_(args.next),
        weight_scan_direction_(args.weight_scan_direction),
        log_(args.log),
        row_(args.rows) {
    if (args.skim.levels != 0) UpdateSuffixSums();
  }

  SequenceResult RunDense() {
    const std::size_t width = args_.big->units;
    for (std::size_t t = 0; t < args_.count; ++t) {
      Read(t, PrefetchAddress(t + 1));
      WriteStep(t, width);
    }
    return {hidden_, weight_scan_direction_};
  }

  SequenceResult RunSkim() {
    const bool binary = args_.skim.levels == 2;
    const bool dot = args_.skim.decision->kind == Decision::dot;
    UpdateStateLogits();
    for (std::size_t t = 0; t < args_.count; ++t) {
      if (dot) UpdateDotLogits(t);
      const std::size_t level = binary ? ChooseBinary(t) : ChooseLevel(t);
      WriteStep(t, RunLevel(t, level));
      if (!dot) UpdateStateLogits();
    }
    return {hidden_, weight_scan_direction_};
  }

 protected:
  std::size_t ChooseBinary(std::size_t t) const {
    const float logit = args_.skim.rows[t][0] + state_logit_[0];
    args_.read_logit[t] = logit;
    return logit > args_.skim.thresholds[t * args_.skim.threshold_stride] ? 0 : 1;
  }

  // Softmax over the levels. Returns the first level at which the cumulative probability exceeds
  // the threshold, or the last level.
  std::size_t ChooseLevel(std::size_t t) const {
    const std::size_t levels = args_.skim.levels;
    float probability[kMaxLevels];  // logits first, then not yet divided by their total
    float max_logit = 0;            // the last level's logit: all are differences from it
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      probability[l] = args_.skim.rows[t][l] + state_logit_[l];
      max_logit = std::max(max_logit, probability[l]);
    }
    probability[levels - 1] = 0;
    float total = 0;
    for (std::size_t l = 0; l < levels; ++l) {
      probability[l] = std::exp(probability[l] - max_logit);
      total += probability[l];
    }
    args_.read_logit[t] = probability[0] / total;
    if (args_.skim.argmax) {
      return static_cast<std::size_t>(std::max_element(probability, probability + levels) -
                                      probability);
    }
    const float threshold = args_.skim.thresholds[t * args_.skim.threshold_stride] * total;
    float sum = 0;
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      sum += probability[l];
      if (sum > threshold) return l;
    }
    return levels - 1;
  }

  std::size_t RunLevel(std::size_t t, std::size_t level) {
    if (level == 0) {
      Read(t);
      UpdateSuffixSums();
      return args_.big->units;
    }
    const PackedCell* cell = args_.skim.small[level - 1].cell;
    if (cell == nullptr) return 0;
    Skim(t, level - 1);
    return cell->units;
  }

  // Input projection of the small cells.
  const float* SmallGates(std::size_t t) const {
    return args_.skim.small_row == nullptr ? args_.skim.rows[t]
                                           : args_.skim.small_row(args_.context, t);
  }

  const void* PrefetchAddress(std::size_t t) const {
    return t < args_.count && args_.big_prefetch != nullptr ? args_.big_prefetch(args_.context, t)
                                                            : nullptr;
  }

  void Read(std::size_t t, const void* prefetch_row = nullptr) {
    read_(args_, args_.big_row(args_.context, t), prefetch_row, hidden_, next_,
          (weight_scan_direction_ & 1U) != 0);
    ++weight_scan_direction_;
    std::swap(hidden_, next_);
  }

  // A cell of one group loads all of the state before it stores any, so it can run in place.
  void Skim(std::size_t t, std::size_t index) {
    const SmallLevel& level = args_.skim.small[index];
    const PackedCell& cell = *level.cell;
    const bool in_place = cell.matrix.groups.size() == 1;
    const float* init = level.suffix == nullptr ? cell.init.data() : level.suffix_sum;
    RunCell<Gates, F32Weights, true>({cell, SmallGates(t) + level.offset, cell.units, init, hidden_,
                                      hidden_, args_.cell_state, in_place ? hidden_ : next_,
                                      false});
    if (!in_place) std::memcpy(hidden_, next_, cell.units * sizeof(float));
  }

  void UpdateSuffixSums() { ComputeSuffixSums(args_, hidden_, suffix_logit_); }

  // State part of the decision logits.
  void UpdateStateLogits() {
    const PackedDecision& decision = *args_.skim.decision;
    if (decision.kind == Decision::dot) return;
    const std::size_t padded = decision.blocks * hn::Lanes(FloatTag());
    for (std::size_t r = 0; r < decision.rows; ++r) {
      state_logit_[r] = suffix_logit_[r] + Dot(decision.prefix.data() + r * padded, hidden_, 0,
                                               decision.prefix_blocks);
      if (decision.kind == Decision::linear_cell) {
        state_logit_[r] += Dot(decision.cell_prefix.data() + r * padded, args_.cell_state, 0,
                               decision.prefix_blocks);
      }
    }
  }

  // State part of the decision logits for Decision::dot.
  void UpdateDotLogits(std::size_t t) {
    const PackedDecision& decision = *args_.skim.decision;
    const std::size_t lanes = hn::Lanes(FloatTag());
    const std::size_t whole = decision.width / lanes;
    float product = Dot(args_.skim.inputs[t], hidden_, 0, whole);
    for (std::size_t j = whole * lanes; j < decision.width; ++j)
      product += args_.skim.inputs[t][j] * hidden_[j];
    for (std::size_t r = 0; r < decision.rows; ++r) state_logit_[r] = decision.scale[r] * product;
  }

  void WriteStep(std::size_t t, std::size_t width) {
    args_.widths[t] = static_cast<std::uint16_t>(width);
    if (row_ != nullptr) {
      std::memcpy(row_, hidden_, args_.big->units * sizeof(float));
      row_ += args_.row_stride;
    }
    if (log_ != nullptr) log_ = AppendToLog(hidden_, width, log_);
  }

  const SequenceArgs& args_;
  ReadStepFn read_;
  float* hidden_;
  float* next_;
  std::uint32_t weight_scan_direction_;
  float* log_;
  float* row_;
  float state_logit_[kMaxLevels] = {};
  float suffix_logit_[kMaxLevels] = {};
};

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
