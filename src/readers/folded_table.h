// Folded embedding table: caches the input projection W * embedding(word) + bias per word, filled
// on first use.
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

  // Holds the first (most frequent) words of the vocabulary, in at most `max_bytes`. Both
  // references must outlive the table.
  FoldedTable(const Projection& projection, const EmbeddingTable& embeddings,
              std::size_t max_bytes);

  std::size_t row_floats() const { return stride_; }
  std::size_t bytes() const { return memory_.size(); }

  // The row of a word, or `buffer` (row_floats() floats) filled with it when the table does not
  // hold the word. Rows in the table never move. `embedding` is scratch for one embedding.
  const float* row(std::uint32_t id, float* buffer, float* embedding) const noexcept {
    const float* ready = address(id);
    return ready != nullptr ? ready : compute(id, buffer, embedding);
  }

  // The row of a word if it has been computed, else null; for prefetching.
  const float* address(std::uint32_t id) const noexcept {
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
  // kFillRows embeddings.
  void fill(std::span<const std::uint32_t> ids, float* embeddings) const noexcept;

 private:
  // States of a word in slots_: no row, claimed by a thread, or kFirstSlot + index of its row.
  static constexpr std::uint32_t kEmpty = 0, kClaimed = 1, kFirstSlot = 2;
  static constexpr std::size_t kMaxRows = std::numeric_limits<std::uint32_t>::max() - kFirstSlot;

  float* row_at(std::uint32_t slot) const noexcept {
    return reinterpret_cast<float*>(memory_.data()) + (slot - kFirstSlot) * stride_;
  }
  bool claim(std::uint32_t id) const noexcept;
  void fill_claimed(std::span<const std::uint32_t> ids, float* embeddings) const noexcept;
  const float* compute(std::uint32_t id, float* buffer, float* embedding) const noexcept;

  const Projection& projection_;
  const EmbeddingTable& embeddings_;
  std::size_t stride_;
  std::size_t rows_ = 0;
  AnonymousMapping memory_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> slots_;  // one per word
  mutable std::atomic<std::uint32_t> next_slot_{kFirstSlot};
};

}  // namespace skim
