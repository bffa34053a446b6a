// Forward pass of a recurrent layer over a sequence: the inner loop of the dense and the skim
// reader. One SIMD dispatch per call; allocates nothing and cannot fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "kernels/pack.h"
#include "skim/spec.h"

namespace skim {

// Packed recurrent weights of one cell. Rows of `matrix` are in blocks of `lanes` units with the
// gates of a block adjacent, so that the gates are applied while the sums are still in registers.
//
// When one or two units remain after whole blocks of 8 (d' = 10 is common in the paper),
// `remainder_units` is their number: their four gates share one last vector i i f f g g o o instead
// of filling four. `init`, the input projection and the product over the state's suffix then have
// the same order of outputs as the matrix.
//
// A big LSTM cell with bf16 weights whose last block of 8 has at most 4 units (d = 100) packs their
// gates in two vectors, i i i i f f f f and g g g g o o o o, in its matrix only.
struct PackedCell {
  PackedMatrix matrix;
  std::size_t units = 0;
  // Blocks of `lanes` units; the last one may be partly filled, unless there are remainder_units.
  std::size_t blocks = 0;
  std::size_t remainder_units = 0;
  // Initial values of the sums, gate by gate, blocks * lanes each: zero, or the GRU's bias_hn.
  Buffer<float> init;
  std::size_t init_stride() const { return blocks * matrix.lanes; }
};

// Vector length for which cells have remainder units, and their maximum number.
inline constexpr std::size_t kRemainderLanes = 8;
inline constexpr std::size_t kMaxRemainderUnits = 2;

// Packed weights of the decision over the state, as differences from the last level's (one row for
// the paper's two levels). They are split at the widest small cell: between two reads only the
// prefix of the state changes.
struct PackedDecision {
  Decision kind = Decision::linear;
  std::size_t rows = 0;                // levels - 1
  std::size_t prefix_width = 0;        // width of the widest small cell
  std::size_t blocks = 0;              // blocks of the whole state
  std::size_t prefix_blocks = 0;       // blocks that hold the prefix
  std::size_t suffix_first_block = 0;  // first block that holds a part of the suffix
  // Shape [rows, blocks * lanes] each, zero outside of their part; cell_* are empty unless
  // linear_cell.
  Buffer<float> prefix, suffix, cell_prefix, cell_suffix;
  Buffer<float> scale;    // dot: one per row
  std::size_t width = 0;  // dot: entries of x and h that are multiplied
};

// One small cell of a skim reader.
struct SmallLevel {
  const PackedCell* cell = nullptr;  // null when the level's width is 0
  const PackedMatrix* suffix =
      nullptr;                  // SmallInput::full: weights over the state's suffix, gate by gate
  float* suffix_sum = nullptr;  // cell->init plus their product, updated at every read
  std::size_t offset = 0;       // of the level's gates in a small row
};

inline constexpr std::size_t kMaxLevels = 8;

// Returns the input projection of the gates of step t. Called only when it is needed.
using GateRowFn = const float* (*)(void* context, std::size_t t) noexcept;
// The same for the big cell, whose rows may be compact.
using BigRowFn = const void* (*)(void* context, std::size_t t) noexcept;

// A row of the big cell is an array of floats or, when SequenceArgs::compact_rows is set, a compact
// row: a float, the scale, and 16-bit integers in the same order, which are multiplied by it. It
// takes half the cache lines, for which a read of a quantized cell mostly waits.
using CompactEntry = std::int16_t;
inline constexpr std::size_t kCompactHeader = sizeof(float) / sizeof(CompactEntry);
inline constexpr std::size_t compact_row_bytes(std::size_t entries) {
  return (kCompactHeader + entries) * sizeof(CompactEntry);
}

// Arguments of sequence_forward that only a skim reader has.
struct SkimArgs {
  std::size_t levels = 0;  // including the big cell; 0 for the dense reader
  const PackedDecision* decision = nullptr;
  SmallLevel small[kMaxLevels - 1];
  // Per step the input projection of decision and small cells: levels - 1 decision logits, then the
  // gates of each level.
  const float* const* rows = nullptr;
  // Computes such a row on demand for a skimmed step; `rows` then hold the decision logits only.
  // Null when `rows` are complete.
  GateRowFn small_row = nullptr;
  const float* const* inputs = nullptr;  // dot: the input row of each step
  // Step t compares the read logit (two levels) or the cumulative probability (more) with
  // thresholds[t * threshold_stride].
  const float* thresholds = nullptr;
  std::size_t threshold_stride = 0;
  bool argmax = false;  // more than two levels: take the most probable level instead
};

// Arguments of sequence_forward.
struct SequenceArgs {
  std::size_t count = 0;
  Cell cell = Cell::lstm;
  const PackedCell* big = nullptr;
  BigRowFn big_row = nullptr;
  BigRowFn big_prefetch =
      nullptr;  // address of step t's row for prefetching, or null; may be null itself
  bool compact_rows = false;  // int8 only
  void* context = nullptr;
  std::size_t big_stride = 0;  // between the gates of a big row

  // The hidden state, zero-padded to a multiple of 16 floats plus one vector.
  float* hidden = nullptr;
  float* next = nullptr;                     // a second buffer of the same size
  float* cell_state = nullptr;               // LSTM
  std::int16_t* quantized_hidden = nullptr;  // bf16, int8: buffer for the quantized state, padded
  float* gate_sums = nullptr;  // LSTM: buffer for the gates' pre-activations, 4 * big_stride floats
  std::uint32_t weight_scan_direction = 0;  // the lowest bit alternates from read to read

  SkimArgs skim;

  // Outputs, in reading order. `read_logit` is the logit of p_read with two levels (see
  // logits_to_probabilities), p_read itself with more, and not written by the dense reader.
  std::uint16_t* widths = nullptr;
  float* read_logit = nullptr;
  float* rows = nullptr;          // may be null
  std::ptrdiff_t row_stride = 0;  // may be negative
  float* log = nullptr;           // may be null
};

struct SequenceResult {
  float* hidden = nullptr;  // the one of args.hidden and args.next that holds the final state
  std::uint32_t weight_scan_direction = 0;
};

// Runs the cell over args.count steps and updates the state.
SequenceResult sequence_forward(const SequenceArgs& args) noexcept;

// Sigmoid in place. `values` must have room for `count` rounded up to a multiple of 16.
void logits_to_probabilities(float* values, std::size_t count) noexcept;

}  // namespace skim
