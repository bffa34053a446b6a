#include "readers/folded_table.h"

#include <algorithm>

#include "kernels/project.h"

namespace skim {

FoldedTable::FoldedTable(const Projection& projection, const EmbeddingTable& embeddings,
                         std::size_t max_bytes)
    : projection_(projection),
      embeddings_(embeddings),
      stride_(round_up(projection.floats(), kCacheLine / sizeof(float))) {
  const std::size_t row_bytes = stride_ * sizeof(float);
  rows_ = std::min(embeddings.num_embeddings(), max_bytes / row_bytes);
  memory_ = AnonymousMapping(rows_ * row_bytes);
  if (memory_.data() == nullptr) rows_ = 0;
  states_ = std::make_unique<std::atomic<State>[]>(rows_);
}

const float* FoldedTable::fill(std::uint32_t id, float* buffer, float* embedding) const noexcept {
  float* out = buffer;
  State expected = State::empty;
  const bool claimed = id < rows_ && states_[id].compare_exchange_strong(expected, State::filling);
  if (claimed) out = row_at(id);
  embeddings_.lookup(id, embedding);
  const std::size_t width = embeddings_.embedding_size();
  project(projection_.matrix, projection_.bias.data(), {embedding, 1, width, width}, out, stride_);
  if (claimed) states_[id].store(State::ready, std::memory_order_release);
  return out;
}

}  // namespace skim
