// Forward pass of one layer over several sequences at once, on one thread. Each sequence skims
// ahead until it must read a word; reads of several sequences run together, so that the weights of
// the big cell are loaded once for all of them. Every sequence gets the bits that sequence_forward
// computes. Allocates nothing and cannot fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sequence.h"

namespace skim {

// What a sequence needs next.
enum class Need : std::uint8_t { skim, read, end };

// One sequence in flight. The caller sets `args` to those of sequence_forward for its next block,
// without `rows`, and calls begin_block, which copies what changes or is used for every skim.
struct alignas(64) GatheredSequence {
  // Used by every skim: two cache lines.
  float* hidden = nullptr;
  float* cell_state = nullptr;
  const float* small_init = nullptr;
  const float* const* rows = nullptr;  // SkimArgs::rows
  const float* thresholds = nullptr;
  float* read_logit = nullptr;
  std::uint16_t* widths = nullptr;
  float* log = nullptr;        // the end of the log
  std::uint32_t position = 0;  // steps of the block that are done
  std::uint32_t count = 0;
  std::uint32_t threshold_stride = 0;
  float suffix_logit = 0;  // contribution of the state's suffix to the decision logit
  Need need = Need::end;
  // Used by reads.
  float* next = nullptr;
  const void* x = nullptr;  // input projection of the step to read; set by the caller
  std::uint32_t weight_scan_direction = 0;
  std::uint32_t slot = 0;  // for the caller
  SequenceArgs args;
};

// The largest number of sequences for read_together. 8 and 12 were no faster (decision 16).
inline constexpr std::size_t kMaxGathered = 6;

// Whether the functions below support a reader: LSTM or GRU, dense or with two levels and a linear
// decision. `args` need the fields that do not change from block to block.
bool supports_gathering(const SequenceArgs& args) noexcept;

// Whether sequences may only be read together when they agree in the lowest bit of
// weight_scan_direction: sums of floats depend on their order.
inline bool depends_on_scan_direction(WeightType type) { return type == WeightType::f32; }

// read_together prefetches the input projection `x` of a sequence as it proceeds, except for this
// many vectors per gate at the end where it starts: the caller should have prefetched those, or the
// whole row if it is compact (prefetch_input).
inline constexpr std::size_t kPrefetchedBlocks = 4;
void prefetch_input(const GatheredSequence& sequence) noexcept;

// Starts the block of `sequence.args`: sets position and need.
void begin_block(GatheredSequence& sequence) noexcept;

// Skims the sequences, which all need it, in turn, until at least `enough` of them (or all) need
// something else. Moves those to the end and returns the number of the others.
std::size_t skim_ahead(GatheredSequence** sequences, std::size_t count,
                       std::size_t enough) noexcept;

// One read of each of at most kMaxGathered sequences.
void read_together(GatheredSequence* const* sequences, std::size_t count) noexcept;

}  // namespace skim
