// One step of the big cell for several sequences: a small matrix product per block of units, then
// the gates. Included once per target.

#if defined(SKIM_KERNELS_READ_TOGETHER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_READ_TOGETHER_INL_H_
#undef SKIM_KERNELS_READ_TOGETHER_INL_H_
#else
#define SKIM_KERNELS_READ_TOGETHER_INL_H_
#endif

#include "kernels/gathered.h"
#include "kernels/run_cell-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {

// Sequences per tile: each has one accumulator per gate of a block, which must fit the registers
// beside the weights and the broadcast inputs. Quantized products need a temporary and a constant
// in addition.
template <class Weights>
inline constexpr std::size_t kTileSequences =
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64  // 32 registers
    6;
#else
    Weights::kType == WeightType::f32 ? 3 : 2;
#endif

// Distance of the prefetched weights, in steps.
inline constexpr std::size_t kPrefetchSteps = 8;

// Consecutive vectors of outputs in a packed matrix.
struct PackedVectors {
  const PackedMatrix& matrix;
  std::size_t offset;  // of the first step's weights, in vectors
  std::size_t stride;  // between steps, in vectors
};

// total[s][a] += sum over the steps of weights * inputs[s].
template <class Weights, std::size_t A, std::size_t S, class V>
HWY_INLINE void MultiplyTile(const PackedVectors& packed,
                             const typename Weights::Input* const* inputs, bool reverse_scan,
                             V (&total)[S][A]) {
  const hn::DFromV<V> d;
  const std::size_t lanes = hn::Lanes(FloatTag());
  const std::size_t steps = packed.matrix.steps;
  const auto* base = Weights::Base(packed.matrix) + packed.offset * lanes;
  // A tile skips the other blocks of its group, which the processor's own prefetching does not
  // foresee.
  constexpr std::size_t kBytes = A * sizeof(V);
  const auto prefetch = [&](std::size_t j) HWY_ATTR {
    const auto* line = reinterpret_cast<const std::byte*>(base + j * packed.stride * lanes);
    SKIM_UNROLL for (std::size_t i = 0; i < kBytes; i += kCacheLine) hwy::Prefetch(line + i);
  };
  const auto run_step = [&](std::size_t j) HWY_ATTR {
    V input[S];
    SKIM_UNROLL for (std::size_t s = 0; s < S; ++s) input[s] =
        Weights::BroadcastStep(d, inputs[s], j);
    SKIM_UNROLL for (std::size_t a = 0; a < A; ++a) {
      V weights = LoadWeights(d, base + j * packed.stride * lanes + a * hn::Lanes(d));
      // Otherwise GCC loads the weights once per sequence, as an operand in memory (1.4x slower).
      PinToRegister(weights);
      SKIM_UNROLL for (std::size_t s = 0; s < S; ++s) total[s][a] =
          Weights::AddProducts(total[s][a], weights, input[s]);
    }
  };
  if (!reverse_scan) {
    for (std::size_t j = 0; j < steps; ++j) {
      prefetch(j + kPrefetchSteps);
      run_step(j);
    }
  } else {
    for (std::size_t j = steps; j-- > 0;) {
      prefetch(j - kPrefetchSteps);
      run_step(j);
    }
  }
}

// The same with wide vectors where the target has them and the number of vectors is even.
template <class Weights, std::size_t A, std::size_t S>
HWY_INLINE void MultiplyWideTile(const PackedVectors& packed,
                                 const typename Weights::Input* const* inputs, bool reverse_scan,
                                 typename Weights::Total (&total)[S][A]) {
#if SKIM_WIDE_VECTORS
  if constexpr (A % 2 == 0) {
    const hn::DFromV<typename Weights::Total> d;
    const hn::Twice<decltype(d)> wide_tag;
    hn::Vec<decltype(wide_tag)> wide[S][A / 2];
    SKIM_UNROLL for (std::size_t s = 0; s < S; ++s) JoinPairs(wide_tag, total[s], wide[s]);
    MultiplyTile<Weights>(packed, inputs, reverse_scan, wide);
    SKIM_UNROLL for (std::size_t s = 0; s < S; ++s) SplitPairs(d, wide[s], total[s]);
    return;
  }
#endif
  MultiplyTile<Weights>(packed, inputs, reverse_scan, total);
}

// One read of several sequences. Call::input is the state of each, quantized where needed.
template <class Gates, class Weights>
class GatheredRead {
  using Input = typename Weights::Input;
  using Row = typename Weights::Row;
  using Call = CellCallOf<Weights>;
  using Total = typename Weights::Total;
  static constexpr std::size_t kGates = Gates::kGates;
  static constexpr bool kInPhases = kGatesInPhases<Gates, Weights, false>;

 public:
  GatheredRead(GatheredSequence* const* sequences, std::size_t count)
      : cell_(*sequences[0]->args.big),
        sequences_(sequences),
        count_(count),
        // Quantized sequences are gathered whatever their direction is.
        reverse_scan_(!Weights::kOrderIndependent &&
                      (sequences[0]->weight_scan_direction & 1U) != 0) {
    for (std::size_t k = 0; k < count; ++k) inputs_[k] = PrepareInput(*sequences[k]);
  }

  void Run() const {
    const auto& groups = cell_.matrix.groups;
    for (std::size_t i = 0; i < groups.size(); ++i)
      RunGroup(groups[reverse_scan_ ? groups.size() - 1 - i : i]);
    if constexpr (kInPhases) {
      for (std::size_t k = 0; k < count_; ++k) ApplyGatesInPhases(CallOf(k));
    }
  }

 private:
  static const Input* PrepareInput(const GatheredSequence& sequence) {
    if constexpr (Weights::kType == WeightType::f32) {
      return sequence.hidden;
    } else {
      const SequenceArgs& args = sequence.args;
      auto* quantized = reinterpret_cast<Input*>(args.quantized_hidden);
      Weights::QuantizeState(sequence.hidden, args.big->blocks * hn::Lanes(FloatTag()), quantized);
      return quantized;
    }
  }

  void RunGroup(const PackGroup& group) const {
    const std::size_t blocks = group.vectors / kGates;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t b = reverse_scan_ ? blocks - 1 - i : i;
      PrefetchInputs(group.first / kGates + b);
      const PackedVectors packed{cell_.matrix, group.offset + b * kGates, group.vectors};
      for (std::size_t k = 0; k < count_;)
        k += DispatchTile<false>(count_ - k, packed, group.first / kGates + b, k);
    }
#if SKIM_EIGHT_LANES
    if (group.vectors % kGates != 0) {
      const PackedVectors packed{cell_.matrix, group.offset + blocks * kGates, group.vectors};
      for (std::size_t k = 0; k < count_;)
        k += DispatchTile<true>(count_ - k, packed, group.first / kGates + blocks, k);
    }
#endif
  }

  // Prefetches the input projections of a later block: those of all blocks at once would be more
  // lines than the processor can wait for. The caller has prefetched the first ones.
  void PrefetchInputs(std::size_t block) const {
    if constexpr (std::is_same_v<Row, CompactEntry>) return;  // the caller has prefetched it all
    const std::size_t later = reverse_scan_ ? block - kPrefetchedBlocks : block + kPrefetchedBlocks;
    if (later >= cell_.blocks) return;
    for (std::size_t k = 0; k < count_; ++k) {
      const auto* x = static_cast<const Row*>(sequences_[k]->x) + later * hn::Lanes(FloatTag());
      const std::size_t stride = sequences_[k]->args.big_stride;
      SKIM_UNROLL for (std::size_t gate = 0; gate < kGates; ++gate)
          hwy::Prefetch(x + gate * stride);
    }
  }

  // Runs a tile of at most `remaining` sequences from sequence k on; returns their number.
  template <bool kHalf, std::size_t S = kTileSequences<Weights>>
  HWY_INLINE std::size_t DispatchTile(std::size_t remaining, const PackedVectors& packed,
                                      std::size_t block, std::size_t k) const {
    if constexpr (S > 1) {
      if (remaining < S) return DispatchTile<kHalf, S - 1>(remaining, packed, block, k);
    }
    if constexpr (kHalf)
      RunHalfTile<S>(packed, block, k);
    else
      RunTile<S>(packed, block, k);
    return S;
  }

  Call CallOf(std::size_t k) const {
    const GatheredSequence& sequence = *sequences_[k];
    const SequenceArgs& args = sequence.args;
    return {cell_,
            static_cast<const Row*>(sequence.x),
            args.big_stride,
            cell_.init.data(),
            inputs_[k],
            sequence.hidden,
            sequence.cell_state,
            sequence.next,
            reverse_scan_,
            args.gate_sums};
  }

  template <std::size_t S>
  HWY_NOINLINE void RunTile(const PackedVectors& packed, std::size_t block, std::size_t k) const {
    Total total[S][kGates];
    SKIM_UNROLL for (std::size_t s = 0; s < S; ++s) {
      const Call call = CallOf(k + s);
      SKIM_UNROLL for (std::size_t a = 0; a < kGates; ++a) total[s][a] = InitTotal(call, block, a);
    }
    MultiplyWideTile<Weights>(packed, inputs_ + k, reverse_scan_, total);
    SKIM_UNROLL for (std::size_t s = 0; s < S; ++s) {
      const Call call = CallOf(k + s);
      Vec sum[kGates];
      SKIM_UNROLL for (std::size_t a = 0; a < kGates; ++a) sum[a] =
          FinishSum(call, block, a, total[s][a]);
      if constexpr (kInPhases)
        StoreSums(call, block, sum);
      else
        ApplyGates<Gates, 1, false>(call, block, sum);
    }
  }

  static HWY_INLINE void StoreSums(const Call& call, std::size_t block, const Vec (&sum)[kGates]) {
    const FloatTag d;
    float* sums = call.gate_sums + block * kGates * hn::Lanes(d);
    SKIM_UNROLL for (std::size_t a = 0; a < kGates; ++a)
        hn::Store(sum[a], d, sums + a * hn::Lanes(d));
  }

  Total InitTotal(const Call& call, std::size_t block, std::size_t a) const {
    if constexpr (Weights::kType == WeightType::f32) {
      return AccumulatorInit<Gates, false, Call>{call, block}.StateInit(a);
    } else {
      return Weights::InitTotal(cell_.matrix, (block * kGates + a) * hn::Lanes(FloatTag()));
    }
  }

  // The same operations in the same order as in RunGroup of one sequence.
  Vec FinishSum(const Call& call, std::size_t block, std::size_t a, Total total) const {
    const AccumulatorInit<Gates, false, Call> init_values{call, block};
    if constexpr (Weights::kType == WeightType::f32) {
      return a == Gates::kSplitGate ? total : hn::Add(total, init_values.InputPart(a));
    } else {
      return ScaleTotal(block * kGates + a, total, init_values.Combined(a));
    }
  }

  Vec ScaleTotal(std::size_t vector, Total total, Vec init) const {
    const FloatTag d;
    const Vec scale = hn::Load(d, cell_.matrix.scales.data() + vector * hn::Lanes(d));
    return hn::MulAdd(hn::ConvertTo(d, total), scale, init);
  }

#if SKIM_EIGHT_LANES
  // The last units of a bf16 LSTM cell, two gates per vector; see PackedCell.
  template <std::size_t S>
  HWY_NOINLINE void RunHalfTile(const PackedVectors& packed, std::size_t block,
                                std::size_t k) const {
    if constexpr (kGates == 4 && Weights::kType == WeightType::bf16) {
      Total total[S][2];
      SKIM_UNROLL for (std::size_t s = 0; s < S; ++s) total[s][0] = total[s][1] =
          Weights::InitTotal(cell_.matrix, 0);
      MultiplyWideTile<Weights>(packed, inputs_ + k, reverse_scan_, total);
      const Vec zero = hn::Zero(FloatTag());
      SKIM_UNROLL for (std::size_t s = 0; s < S; ++s) {
        ApplyHalfBlock(CallOf(k + s), block, ScaleTotal(4 * block, total[s][0], zero),
                       ScaleTotal(4 * block + 1, total[s][1], zero));
      }
    }
  }
#endif

  const PackedCell& cell_;
  GatheredSequence* const* sequences_;
  std::size_t count_;
  bool reverse_scan_;
  const Input* inputs_[kMaxGathered];
};

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
