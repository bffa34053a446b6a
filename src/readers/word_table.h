// A folded table: for each word the product of a matrix with its vector, filled when the word first
// comes up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/pages.h"
#include "readers/reader.h"
#include "readers/weights.h"

namespace skim {

// Safe for any number of threads without a lock: whoever finds a row missing computes it; one of
// them gets to write it into the table, the others use their own copy, which has the same bits.
class WordTable {
 public:
  // Keeps the first words of the vocabulary (the most frequent) within `most_bytes`. Both
  // references must outlive it.
  WordTable(const Projection& projection, const WordSource& words, std::size_t most_bytes);

  std::size_t row_floats() const { return stride_; }
  std::size_t bytes() const { return memory_.size(); }

  // The row of a word. `spare` (row_floats()) holds it when the table does not; `vector` has room
  // for a word vector.
  const float* row(std::uint32_t id, float* spare, float* vector) const noexcept {
    if (id < rows_ && states_[id].load(std::memory_order_acquire) == State::ready) return at(id);
    return fill(id, spare, vector);
  }

  // Where the row of a word will be, for prefetching; null when the table does not keep it.
  const float* place(std::uint32_t id) const noexcept { return id < rows_ ? at(id) : nullptr; }

 private:
  enum class State : std::uint8_t { empty, filling, ready };

  float* at(std::uint32_t id) const noexcept {
    return reinterpret_cast<float*>(memory_.data()) + id * stride_;
  }
  const float* fill(std::uint32_t id, float* spare, float* vector) const noexcept;

  const Projection& projection_;
  const WordSource& words_;
  std::size_t stride_;
  std::size_t rows_ = 0;
  Pages memory_;
  std::unique_ptr<std::atomic<State>[]> states_;
};

}  // namespace skim
