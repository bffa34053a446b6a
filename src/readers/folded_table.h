// Folded embedding table: caches the input projection W * embedding(word) + bias per word, filled
// on first use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/anonymous_mapping.h"
#include "readers/reader.h"
#include "readers/weights.h"

namespace skim {

// Thread-safe without locks: every thread that misses a row computes it; one of them writes it into
// the table, the others use their own bit-identical copy.
class FoldedTable {
 public:
  // Holds the first (most frequent) words of the vocabulary, in at most `max_bytes`. Both
  // references must outlive the table.
  FoldedTable(const Projection& projection, const EmbeddingTable& embeddings,
              std::size_t max_bytes);

  std::size_t row_floats() const { return stride_; }
  std::size_t bytes() const { return memory_.size(); }

  // The row of a word, or `buffer` (row_floats() floats) filled with it when the table does not
  // hold the word. `embedding` is scratch for one embedding.
  const float* row(std::uint32_t id, float* buffer, float* embedding) const noexcept {
    if (id < rows_ && states_[id].load(std::memory_order_acquire) == State::ready)
      return row_at(id);
    return fill(id, buffer, embedding);
  }

  // Address of the row of a word, for prefetching; null when the table does not hold it.
  const float* address(std::uint32_t id) const noexcept {
    return id < rows_ ? row_at(id) : nullptr;
  }

 private:
  enum class State : std::uint8_t { empty, filling, ready };

  float* row_at(std::uint32_t id) const noexcept {
    return reinterpret_cast<float*>(memory_.data()) + id * stride_;
  }
  const float* fill(std::uint32_t id, float* buffer, float* embedding) const noexcept;

  const Projection& projection_;
  const EmbeddingTable& embeddings_;
  std::size_t stride_;
  std::size_t rows_ = 0;
  AnonymousMapping memory_;
  std::unique_ptr<std::atomic<State>[]> states_;
};

}  // namespace skim
