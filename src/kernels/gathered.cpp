#include "kernels/gathered.h"

#include <algorithm>

#include "kernels/gathered_cells.h"

namespace skim {
namespace {

// BinarySkimLoop::Supports has the same conditions.
bool supports_skim(const SkimArgs& skim) {
  if (skim.levels != 2 || skim.decision->kind != Decision::linear) return false;
  if (skim.small_row != nullptr) return false;
  const PackedCell* cell = skim.small[0].cell;
  return cell != nullptr && cell->matrix.groups.size() == 1 && cell->blocks <= 3;
}

}  // namespace

bool supports_gathering(const SequenceArgs& args) noexcept {
  if (args.cell == Cell::rnn) return false;
  return args.skim.levels == 0 || supports_skim(args.skim);
}

void prefetch_input(const GatheredSequence& sequence) noexcept {
  const SequenceArgs& args = sequence.args;
  const PackedMatrix& matrix = args.big->matrix;
  const std::size_t gates = args.cell == Cell::lstm ? 4 : 3;
  if (args.compact_rows) {
    const auto* row = static_cast<const std::byte*>(sequence.x);
    for (std::size_t i = 0; i < compact_row_bytes(gates * args.big_stride); i += kCacheLine)
      __builtin_prefetch(row + i);
    return;
  }
  const bool reverse_scan =
      depends_on_scan_direction(matrix.type) && (sequence.weight_scan_direction & 1U) != 0;
  const std::size_t floats = std::min(args.big_stride, kPrefetchedBlocks * matrix.lanes);
  const float* gate =
      static_cast<const float*>(sequence.x) + (reverse_scan ? args.big_stride - floats : 0);
  for (std::size_t g = 0; g < gates; ++g, gate += args.big_stride) {
    for (std::size_t i = 0; i < floats; i += kCacheLine / sizeof(float))
      __builtin_prefetch(gate + i);
  }
}

void begin_block(GatheredSequence& sequence) noexcept {
  if (sequence.args.cell == Cell::lstm)
    lstm_begin_block(sequence);
  else
    gru_begin_block(sequence);
}

std::size_t skim_ahead(GatheredSequence** sequences, std::size_t count,
                       std::size_t enough) noexcept {
  return sequences[0]->args.cell == Cell::lstm ? lstm_skim_ahead(sequences, count, enough)
                                               : gru_skim_ahead(sequences, count, enough);
}

void read_together(GatheredSequence* const* sequences, std::size_t count) noexcept {
  if (sequences[0]->args.cell == Cell::lstm)
    lstm_read_together(sequences, count);
  else
    gru_read_together(sequences, count);
}

}  // namespace skim
