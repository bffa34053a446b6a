// Input projections W * x + b of gates and decisions for the sequence loop: from folded embedding
// tables, or computed from rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/sequence.h"
#include "readers/folded_table.h"
#include "readers/reader.h"
#include "readers/weights.h"

namespace skim {

// The rows of one call of sequence_forward, in reading order.
struct Block {
  const Input& input;
  std::size_t first = 0;  // number of rows read before
  std::size_t count = 0;

  // Index into the input of the block's row t.
  std::size_t index(std::size_t t) const {
    return input.backward ? input.count() - 1 - (first + t) : first + t;
  }
};

// Scratch memory of one block, allocated from Scratch.
struct BlockScratch {
  const float** small_rows = nullptr;
  const float** inputs = nullptr;
  float* small_buffer = nullptr;  // kBlockRows small rows
  float* big_buffer = nullptr;  // kProjectedRows + 1 big rows when reading rows, else for the table
  float* gathered = nullptr;    // kProjectedRows input rows when reading rows
  std::uint8_t* slots = nullptr;  // index of the row's projection in big_buffer, or kNoSlot
  float* embeddings = nullptr;    // kBlockRows embeddings for the dot decision, else kFillRows
};

// Maximum number of rows per block: enough to amortize the fixed cost of a block (about 100 ns),
// few enough that its small rows stay in the cache.
inline constexpr std::size_t kBlockRows = 128;
// The same when rows are projected: their projections stay in the L2 cache beside the weights, and
// a shorter block tells sooner whether most rows are read. A multiple of the six rows that
// project() runs at a time.
inline constexpr std::size_t kProjectedRows = 36;

// Context of the GateRowFn callbacks.
struct GateSource {
  const ReaderWeights* weights = nullptr;
  const FoldedTable* table = nullptr;  // null when reading rows
  const Block* block = nullptr;
  const BlockScratch* memory = nullptr;
};

// Stride of the rows in BlockScratch::small_buffer and big_buffer.
std::size_t small_stride(const ReaderWeights& weights);
std::size_t big_stride(const ReaderWeights& weights);

// Fills the folded tables for a text that is about to be read, in batches. The dense reader needs
// the big rows of all words (`small` is null). A skim reader needs all small rows; of the words
// that are new, those whose decision logit exceeds `min_logit` are likely to be read and get their
// big row as well. Other big rows are computed when they are read.
void prepare_rows(const FoldedTable* small, const FoldedTable& big,
                  std::span<const std::uint32_t> ids, float min_logit,
                  const BlockScratch& memory) noexcept;

// Looks up the small rows (and the inputs, for the dot decision) of a skim reader in its folded
// table.
void lookup_small_rows(const ReaderWeights& weights, const FoldedTable& table,
                       const EmbeddingTable& embeddings, const Block& block,
                       const BlockScratch& memory) noexcept;
// Projects the decision logits of a block of rows.
void project_decisions(const ReaderWeights& weights, const Block& block,
                       const BlockScratch& memory) noexcept;
// Projects rows for the big cell in one batch before the loop: row by row the input projection
// costs about twice as much, because the weights come from the L2 cache each time. The dense reader
// projects all rows; a skim reader those that its decision would read if the state did not change,
// and the others for the small cells. A misprediction costs time and changes nothing else. (d =
// 100, 90 % skimmed: 1.2x faster.)
void project_speculatively(const ReaderWeights& weights, const Block& block, const float* hidden,
                           const SkimArgs& skim, const BlockScratch& memory) noexcept;
inline constexpr std::uint8_t kNoSlot = 255;

// BigRowFn and GateRowFn callbacks for token ids and for rows; the context is a GateSource.
const void* big_gates_of_token(void* context, std::size_t t) noexcept;
const void* big_gates_address(void* context, std::size_t t) noexcept;  // for prefetching
const void* big_gates_of_row(void* context, std::size_t t) noexcept;
const float* small_gates_of_row(void* context, std::size_t t) noexcept;

}  // namespace skim
