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
    for (;;) {
      for (std::size_t i = 0; i < active;) {
        GatheredSequence& sequence = *sequences[i];
        const Need need = Skim(sequence);
        if (HWY_LIKELY(need == Need::skim)) {
          ++i;
          continue;
        }
        sequence.need = need;
        std::swap(sequences[i], sequences[--active]);
      }
      if (active <= stop_at) return active;
    }
  }

 private:
  HWY_INLINE Need Skim(GatheredSequence& sequence) const {
    const float* row = sequence.rows[sequence.position];
    const float prefix_logit =
        small_.Run(row + offset_, {sequence.hidden, sequence.cell_state, sequence.small_init});
    FinishStep(sequence, units_);
    return Decide(sequence, sequence.suffix_logit + prefix_logit);
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
#if SKIM_MAYBE_VNNI
  if (matrix.vnni && matrix.type == WeightType::int8)
    return GatheredRead<Gates, Int8VnniWeights>(sequences, count).Run();
  if (matrix.vnni && matrix.type == WeightType::bf16)
    return GatheredRead<Gates, Bf16VnniWeights>(sequences, count).Run();
#endif
  switch (matrix.type) {
    case WeightType::f32:
      return GatheredRead<Gates, F32Weights>(sequences, count).Run();
    case WeightType::bf16:
      return GatheredRead<Gates, Bf16Weights>(sequences, count).Run();
    case WeightType::int8:
      return GatheredRead<Gates, Int8Weights>(sequences, count).Run();
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
