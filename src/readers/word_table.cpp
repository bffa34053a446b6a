#include "readers/word_table.h"

#include <algorithm>

#include "kernels/project.h"

namespace skim {

WordTable::WordTable(const Projection& projection, const WordSource& words, std::size_t most_bytes)
    : projection_(projection),
      words_(words),
      stride_(round_up(projection.floats(), kCacheLine / sizeof(float))) {
  const std::size_t row_bytes = stride_ * sizeof(float);
  rows_ = std::min(words.count(), most_bytes / row_bytes);
  memory_ = Pages(rows_ * row_bytes);
  if (memory_.data() == nullptr) rows_ = 0;
  states_ = std::make_unique<std::atomic<State>[]>(rows_);
}

const float* WordTable::fill(std::uint32_t id, float* spare, float* vector) const noexcept {
  float* out = spare;
  State expected = State::empty;
  const bool mine = id < rows_ && states_[id].compare_exchange_strong(expected, State::filling);
  if (mine) out = at(id);
  words_.vector(id, vector);
  const std::size_t width = words_.width();
  project(projection_.matrix, projection_.bias.data(), {vector, 1, width, width}, out, stride_);
  if (mine) states_[id].store(State::ready, std::memory_order_release);
  return out;
}

}  // namespace skim
