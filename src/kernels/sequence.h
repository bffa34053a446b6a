// Reading a sequence: the inner loop of every reader. One dispatch a call, no allocation, no way to
// fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "kernels/pack.h"
#include "skim/spec.h"

namespace skim {

// The recurrent part of one cell. Rows of `matrix` come in blocks of `lanes` units, the gates of a
// block adjacent, so that the gates can be applied while the sums are still in registers.
//
// When one or two units are left over after whole blocks of 8 (d' = 10 is the paper's favourite),
// `tail_units` says how many: their four gates share one last vector i i f f g g o o instead of
// filling four. Then init, the input's rows and the product over the state's tail have the same
// order of outputs as the matrix.
//
// A big LSTM cell with bf16 weights whose last block of 8 has at most 4 units (d = 100) takes two
// vectors for their gates, i i i i f f f f and g g g g o o o o, in its matrix alone.
struct CellPack {
  PackedMatrix matrix;
  std::size_t units = 0;
  std::size_t blocks =
      0;  // of lanes units; the last may be partly filled, but not when there are tail_units
  std::size_t tail_units = 0;
  Buffer<float> init;  // what the sums start from, gate after gate, blocks * lanes each: zero, or a
                       // GRU's inner bias
  std::size_t init_stride() const { return blocks * matrix.lanes; }
};

// The widest vectors for which units can be left over in such a way, and the most that can be.
inline constexpr std::size_t kTailLanes = 8;
inline constexpr std::size_t kMaxTailUnits = 2;

// Weights of the state in the decision, as differences from the last level's (one row for the
// paper's two levels). Split where the widest small cell ends: between two reads only the head can
// change.
struct DecisionPack {
  Decision kind = Decision::linear;
  std::size_t rows = 0;         // levels - 1
  std::size_t head_width = 0;   // of the widest small cell
  std::size_t blocks = 0;       // of the whole state
  std::size_t head_blocks = 0;  // that hold the head
  std::size_t tail_from = 0;    // first block that holds some of the tail
  // rows x blocks * lanes each, zero outside of their part; the cell's are empty unless linear_cell
  Buffer<float> head, tail, cell_head, cell_tail;
  Buffer<float> scale;    // dot: one a row
  std::size_t width = 0;  // dot: entries of x and h that are multiplied
};

struct SmallLevel {
  const CellPack* cell = nullptr;  // null when the level's width is 0
  const PackedMatrix* tail =
      nullptr;  // small_sees all: the part over the state's tail, outputs gate by gate
  float* tail_sum = nullptr;  // its product, renewed at every read; starts from cell->init
  std::size_t offset = 0;     // where the level's gates begin in a small row
};

inline constexpr std::size_t kMaxLevels = 8;

// Gives the input's part of the gates of step t. Called when, and only when, it is needed.
using GateRow = const float* (*)(void* context, std::size_t t) noexcept;

struct SkimArgs {
  std::size_t levels = 0;  // including the big one; 0 for a plain reader
  const DecisionPack* decision = nullptr;
  SmallLevel small[kMaxLevels - 1];
  // For each step the input's part of decision and small cells: `rows` decision values, then each
  // level's gates.
  const float* const* rows = nullptr;
  // Where small cells' gates are computed on demand: such a row for a step that is skimmed; `rows`
  // then need the decision values alone. Null: they have all.
  GateRow small_row = nullptr;
  const float* const* inputs = nullptr;  // dot: the input row of each step
  // What the logit (two levels) or the summed probability (more) must exceed; step t looks at
  // limits[t * limit_stride].
  const float* limits = nullptr;
  std::size_t limit_stride = 0;
  bool argmax = false;  // more than two levels: the likeliest level instead
};

struct SequenceArgs {
  std::size_t count = 0;
  Cell cell = Cell::lstm;
  const CellPack* big = nullptr;
  GateRow big_row = nullptr;
  GateRow big_ahead = nullptr;  // where step t's row will be read from, or null; may be null itself
  void* context = nullptr;
  std::size_t big_stride = 0;  // between the gates of a big row

  float* hidden =
      nullptr;  // the state, padded with zeros to a multiple of 16 floats and one vector more
  float* next = nullptr;            // a second one of the same size
  float* cell_state = nullptr;      // LSTM
  std::int16_t* rounded = nullptr;  // bf16, int8: room for the state as integers, padded
  std::uint32_t sweep = 0;

  SkimArgs skim;

  // Outputs, in reading order. `certainty` is p_read when there are more than two levels, its logit
  // when there are two (logits_to_probabilities turns them all at one go), and not written by a
  // plain reader.
  std::uint16_t* widths = nullptr;
  float* certainty = nullptr;
  float* rows = nullptr;          // may be null
  std::ptrdiff_t row_stride = 0;  // may be negative
  float* log = nullptr;           // may be null
};

struct SequenceEnd {
  float* hidden = nullptr;  // which of args.hidden and args.next holds the state now
  std::uint32_t sweep = 0;
};

SequenceEnd read_sequence(const SequenceArgs& args) noexcept;

// values = sigmoid(values). There must be room for whole vectors: `count` rounded up to a multiple
// of 16.
void logits_to_probabilities(float* values, std::size_t count) noexcept;

}  // namespace skim
