// Forward pass over several sequences for one kind of cell. Included once per target.

#if defined(SKIM_KERNELS_GATHERED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_GATHERED_INL_H_
#undef SKIM_KERNELS_GATHERED_INL_H_
#else
#define SKIM_KERNELS_GATHERED_INL_H_
#endif

#include "kernels/binary_skim-inl.h"
#include "kernels/read_together-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// Decides the step at sequence.position, if there is one.
HWY_INLINE Need Decide(GatheredSequence& sequence, float state_logit) {
  const std::size_t t = sequence.position;
  if (t == sequence.count) return Need::end;
  const float logit = sequence.rows[t][0] + state_logit;
  sequence.read_logit[t] = logit;
  return logit > sequence.thresholds[t * sequence.threshold_stride] ? Need::read : Need::skim;
}

HWY_INLINE void FinishStep(GatheredSequence& sequence, std::size_t width) {
  sequence.widths[sequence.position++] = static_cast<std::uint16_t>(width);
  if (sequence.log != nullptr) sequence.log = AppendToLog(sequence.hidden, width, sequence.log);
}

// The skim reader of the paper: two levels and a linear decision; SmallCell has the parameters.
template <class Gates, std::size_t kBlocks, bool kRemainder>
class GatheredSkim {
  using Small = SmallCell<Gates, kBlocks, kRemainder>;

 public:
  explicit GatheredSkim(const SequenceArgs& args)
      : small_(args.skim),
        offset_(args.skim.small[0].offset),
        units_(args.skim.small[0].cell->units) {}

  void Begin(GatheredSequence& sequence) const {
    ComputeSuffixSums(sequence.args, sequence.hidden, &sequence.suffix_logit);
    sequence.need = Decide(sequence, sequence.suffix_logit + small_.PrefixLogit(sequence.hidden));
  }

  // One skim of each sequence per turn: consecutive skims do not depend on each other, so they
  // overlap in the processor.
  std::size_t SkimAhead(GatheredSequence** sequences, std::size_t count, std::size_t enough) const {
    const std::size_t stop_at = count - std::min(enough, count);
    std::size_t active = count;
    do {
      std::size_t i = 0;
      while (i + kInterleaved <= active) i = SkimSome<kInterleaved>(sequences, i, active);
      while (i < active) i = SkimSome<1>(sequences, i, active);
    } while (active > stop_at);
    return active;
  }

 private:
  // Sequences whose operations alternate. Where registers allow, this is faster than leaving the
  // overlap to the processor, which sees no further than about one skim.
  static constexpr std::size_t kInterleaved = HWY_TARGET == HWY_AVX3 && kBlocks == 1 ? 2 : 1;

  // Skims N sequences from sequences[i] on. Those that need something else move to the end and are
  // no longer active. Returns the index of the next sequence to skim.
  template <std::size_t N>
  HWY_INLINE std::size_t SkimSome(GatheredSequence** sequences, std::size_t i,
                                  std::size_t& active) const {
    const float* rows[N];
    SmallState states[N];
    float prefix_logits[N];
    SKIM_UNROLL for (std::size_t n = 0; n < N; ++n) {
      const GatheredSequence& sequence = *sequences[i + n];
      rows[n] = sequence.rows[sequence.position] + offset_;
      states[n] = {sequence.hidden, sequence.cell_state, sequence.small_init};
    }
    small_.Run(rows, states, prefix_logits);
    std::size_t next = i + N;
    for (std::size_t n = N; n-- > 0;) {
      GatheredSequence& sequence = *sequences[i + n];
      FinishStep(sequence, units_);
      const Need need = Decide(sequence, sequence.suffix_logit + prefix_logits[n]);
      if (HWY_LIKELY(need == Need::skim)) continue;
      sequence.need = need;
      std::swap(sequences[i + n], sequences[--active]);
      next = i + n;
    }
    return next;
  }

  Small small_;
  std::size_t offset_, units_;
};

template <class Gates>
struct GatheredDense {
  explicit GatheredDense(const SequenceArgs& /*args*/) {}
  void Begin(GatheredSequence& sequence) const {
    sequence.need = sequence.position == sequence.count ? Need::end : Need::read;
  }
  std::size_t SkimAhead(GatheredSequence** /*sequences*/, std::size_t /*count*/,
                        std::size_t /*enough*/) const {
    return 0;
  }
};

// Calls `action` with the reader of the arguments.
template <class Gates, class Action>
HWY_INLINE auto WithReader(const SequenceArgs& args, const Action& action) {
  if (args.skim.levels == 0) return action(GatheredDense<Gates>(args));
  const PackedCell& cell = *args.skim.small[0].cell;
#if SKIM_EIGHT_LANES
  if constexpr (Gates::kGates == 4) {
    if (cell.remainder_units != 0) {
      return cell.blocks == 1 ? action(GatheredSkim<Gates, 1, true>(args))
                              : action(GatheredSkim<Gates, 2, true>(args));
    }
  }
#endif
  if (cell.blocks == 1) return action(GatheredSkim<Gates, 1, false>(args));
  return cell.blocks == 2 ? action(GatheredSkim<Gates, 2, false>(args))
                          : action(GatheredSkim<Gates, 3, false>(args));
}

template <class Gates>
void BeginBlockOf(GatheredSequence& sequence) {
  const SequenceArgs& args = sequence.args;
  sequence.hidden = args.hidden;
  sequence.next = args.next;
  sequence.cell_state = args.cell_state;
  sequence.weight_scan_direction = args.weight_scan_direction;
  sequence.rows = args.skim.rows;
  sequence.thresholds = args.skim.thresholds;
  sequence.threshold_stride = static_cast<std::uint32_t>(args.skim.threshold_stride);
  sequence.read_logit = args.read_logit;
  sequence.widths = args.widths;
  sequence.log = args.log;
  sequence.position = 0;
  sequence.count = static_cast<std::uint32_t>(args.count);
  if (args.skim.levels != 0) sequence.small_init = SmallInit(args.skim);
  WithReader<Gates>(args, [&](const auto& reader) HWY_ATTR { reader.Begin(sequence); });
}

template <class Gates>
std::size_t SkimAheadOf(GatheredSequence** sequences, std::size_t count, std::size_t enough) {
  return WithReader<Gates>(sequences[0]->args, [&](const auto& reader) HWY_ATTR {
    return reader.SkimAhead(sequences, count, enough);
  });
}

template <class Gates>
void RunReads(GatheredSequence* const* sequences, std::size_t count) {
  const PackedMatrix& matrix = sequences[0]->args.big->matrix;
  const bool compact = sequences[0]->args.compact_rows;
#if SKIM_MAYBE_BYTE_DOT
  if (matrix.dot && matrix.type == WeightType::int8) {
    return compact ? GatheredRead<Gates, WithCompactRows<Int8DotWeights>>(sequences, count).Run()
                   : GatheredRead<Gates, Int8DotWeights>(sequences, count).Run();
  }
#endif
#if SKIM_MAYBE_VNNI
  if (matrix.dot && matrix.type == WeightType::bf16)
    return GatheredRead<Gates, Bf16DotWeights>(sequences, count).Run();
#endif
  switch (matrix.type) {
    case WeightType::f32:
      return GatheredRead<Gates, F32Weights>(sequences, count).Run();
    case WeightType::bf16:
      return GatheredRead<Gates, Bf16Weights>(sequences, count).Run();
    case WeightType::int8:
      return compact ? GatheredRead<Gates, WithCompactRows<Int8Weights>>(sequences, count).Run()
                     : GatheredRead<Gates, Int8Weights>(sequences, count).Run();
  }
}

template <class Gates>
void ReadTogetherOf(GatheredSequence* const* sequences, std::size_t count) {
  RunReads<Gates>(sequences, count);
  WithReader<Gates>(sequences[0]->args, [&](const auto& reader) HWY_ATTR {
    for (std::size_t k = 0; k < count; ++k) {
      GatheredSequence& sequence = *sequences[k];
      std::swap(sequence.hidden, sequence.next);
      ++sequence.weight_scan_direction;
      FinishStep(sequence, sequence.args.big->units);
      reader.Begin(sequence);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
