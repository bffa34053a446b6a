// Where the sequence loop gets the input's part of gates and decisions from: folded tables, or
// rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/sequence.h"
#include "readers/reader.h"
#include "readers/weights.h"
#include "readers/word_table.h"

namespace skim {

// Rows of one call of the sequence loop, in reading order.
struct Block {
  const Input& input;
  std::size_t first = 0;  // how many rows were read before it
  std::size_t count = 0;

  // Index into the input of the block's row t.
  std::size_t index(std::size_t t) const {
    return input.backward ? input.count() - 1 - (first + t) : first + t;
  }
};

// Memory of one block, carved out of Scratch.
struct BlockMemory {
  const float** small_rows = nullptr;
  const float** inputs = nullptr;
  float* small_spare = nullptr;   // kBlockRows small rows
  float* big_spare = nullptr;     // kProjectedRows + 1 big rows when reading rows, else one
  float* gathered = nullptr;      // kProjectedRows input rows when reading rows
  std::uint8_t* slots = nullptr;  // where in big_spare a row's product is, or kNoSlot
  float* vectors = nullptr;       // kBlockRows word vectors for the dot decision, else one
};

// Most rows of a block. Long enough that a block's fixed costs (some 100 ns) are nothing to each
// word, short enough that its small rows stay near.
inline constexpr std::size_t kBlockRows = 128;
// When rows are projected, they take more room: the products of so many stay in the second-level
// cache beside the weights, and it shows sooner whether most rows are read. A multiple of the six
// rows that project() takes at a time.
inline constexpr std::size_t kProjectedRows = 36;

// What the sequence loop's callbacks need to know.
struct GateSource {
  const ReaderWeights* weights = nullptr;
  const WordTable* table = nullptr;  // null when reading rows
  const Block* block = nullptr;
  const BlockMemory* memory = nullptr;
};

// Distance between rows in BlockMemory::small_spare and big_spare.
std::size_t small_stride(const ReaderWeights& weights);
std::size_t big_stride(const ReaderWeights& weights);

// Fills small_rows (and inputs, for the dot decision) of a skim reader.
void prepare_small_words(const ReaderWeights& weights, const WordTable& table,
                         const WordSource& words, const Block& block,
                         const BlockMemory& memory) noexcept;
// Of rows, the decision values alone.
void prepare_decisions(const ReaderWeights& weights, const Block& block,
                       const BlockMemory& memory) noexcept;
// Reading rows, the input part of the big cell costs about twice as much one row at a time as many
// at once: the weights come from the second-level cache each time. So the rows that look like being
// read are projected together beforehand: all of a plain reader's; of a skim reader's those that
// its decision would read if the state stayed as it is. The others get the input part of the small
// cells. A wrong guess costs time and changes nothing else. (d = 100, 90 % skimmed: 1.2x faster.)
void prepare_likely_rows(const ReaderWeights& weights, const Block& block, const float* hidden,
                         const SkimArgs& skim, const BlockMemory& memory) noexcept;
inline constexpr std::uint8_t kNoSlot = 255;

// GateRow callbacks; the context is a GateSource.
const float* big_row_of_word(void* context, std::size_t t) noexcept;
const float* big_place_of_word(void* context, std::size_t t) noexcept;  // only looks
const float* big_row_of_row(void* context, std::size_t t) noexcept;
const float* small_row_of_row(void* context, std::size_t t) noexcept;

}  // namespace skim
