// Folded embedding table: caches the input projection W * embedding(word) + bias per word, filled
// on first use, as floats or as compact rows (kernels/sequence.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "base/anonymous_mapping.h"
#include "readers/reader.h"
#include "readers/weights.h"

namespace skim {

// Thread-safe without locks: one thread claims a missing row, computes and publishes it; others
// that need it meanwhile compute a bit-identical copy. Rows are stored in order of first use, so
// that the words in use are close together and untouched memory is never allocated.
class FoldedTable {
 public:
  // Number of rows that fill() projects at a time: a multiple of the six rows of project()'s tile.
  static constexpr std::size_t kFillRows = 24;
  // The same for compact rows, which are projected into a buffer first.
  static constexpr std::size_t kFillCompactRows = 6;

  // What the rows consist of. The entries of compact rows are floats that were rounded to 16 bits
  // relative to the largest one of their row.
  enum class RowFormat : std::uint8_t { floats, compact };

  // Holds the first (most frequent) words of the vocabulary, in at most `max_bytes`. Both
  // references must outlive the table.
  FoldedTable(const Projection& projection, const EmbeddingTable& embeddings, std::size_t max_bytes,
              RowFormat format = RowFormat::floats);

  bool is_compact() const { return format_ == RowFormat::compact; }
  std::size_t bytes() const { return memory_.size(); }
  // Size of the buffers that row() and fill() take, in floats.
  std::size_t buffer_floats() const;

  // The row of a word, or one in `buffer` when the table does not hold the word. Rows in the table
  // never move. `embedding` is scratch for one embedding; `composed` is Input::composed.
  const void* row(std::uint32_t id, float* buffer, float* embedding,
                  const float* composed = nullptr) const noexcept {
    const void* ready = address(id);
    return ready != nullptr ? ready : compute(id, buffer, embedding, composed);
  }

  // The row of a word if it has been computed, else null; for prefetching.
  const void* address(std::uint32_t id) const noexcept {
    if (id >= rows_) return nullptr;
    const std::uint32_t slot = slots_[id].load(std::memory_order_acquire);
    return slot >= kFirstSlot ? row_at(slot) : nullptr;
  }

  // Prefetches what row() and address() look up first.
  void prefetch_slot(std::uint32_t id) const noexcept {
    if (id < rows_) __builtin_prefetch(&slots_[id]);
  }

  // Whether fill() would compute the row: the table holds the word and nobody has claimed its row.
  bool is_missing(std::uint32_t id) const noexcept {
    return id < rows_ && slots_[id].load(std::memory_order_relaxed) == kEmpty;
  }

  // Computes the missing rows of `ids`, kFillRows at a time, bit-identical to those of row(). Rows
  // that another thread is computing may still be missing afterwards. `embeddings` is scratch for
  // kFillRows embeddings; `buffer` is needed by compact tables only.
  void fill(std::span<const std::uint32_t> ids, float* embeddings, float* buffer) const noexcept;

 private:
  // States of a word in slots_: no row, claimed by a thread, or kFirstSlot + index of its row.
  static constexpr std::uint32_t kEmpty = 0, kClaimed = 1, kFirstSlot = 2;
  static constexpr std::size_t kMaxRows = std::numeric_limits<std::uint32_t>::max() - kFirstSlot;

  std::byte* row_at(std::uint32_t slot) const noexcept {
    return memory_.data() + (slot - kFirstSlot) * row_bytes_;
  }
  bool claim(std::uint32_t id) const noexcept;
  void fill_claimed(std::span<const std::uint32_t> ids, float* embeddings,
                    float* buffer) const noexcept;
  // Projects the embeddings of `ids`, all of which the table holds.
  void project_words(std::span<const std::uint32_t> ids, float* embeddings,
                     float* out) const noexcept;
  void project_rows(const float* embeddings, std::size_t count, float* out) const noexcept;
  void pack(const float* row, void* out) const noexcept;
  const void* compute(std::uint32_t id, float* buffer, float* embedding,
                      const float* composed) const noexcept;

  const Projection& projection_;
  const EmbeddingTable& embeddings_;
  RowFormat format_;
  std::size_t stride_;     // of projected rows, in floats
  std::size_t row_bytes_;  // of the table
  std::size_t rows_ = 0;
  AnonymousMapping memory_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> slots_;  // one per word
  mutable std::atomic<std::uint32_t> next_slot_{kFirstSlot};
};

}  // namespace skim
