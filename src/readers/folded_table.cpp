#include "readers/folded_table.h"

#include <algorithm>
#include <array>

#include "kernels/project.h"

namespace skim {

FoldedTable::FoldedTable(const Projection& projection, const EmbeddingTable& embeddings,
                         std::size_t max_bytes)
    : projection_(projection),
      embeddings_(embeddings),
      stride_(round_up(projection.floats(), kCacheLine / sizeof(float))) {
  const std::size_t row_bytes = stride_ * sizeof(float);
  rows_ = std::min({embeddings.num_embeddings(), max_bytes / row_bytes, kMaxRows});
  memory_ = AnonymousMapping(rows_ * row_bytes);
  if (memory_.data() == nullptr) rows_ = 0;
  slots_ = std::make_unique<std::atomic<std::uint32_t>[]>(rows_);
}

bool FoldedTable::claim(std::uint32_t id) const noexcept {
  std::uint32_t expected = kEmpty;
  return is_missing(id) && slots_[id].compare_exchange_strong(expected, kClaimed);
}

void FoldedTable::fill(std::span<const std::uint32_t> ids, float* embeddings) const noexcept {
  std::array<std::uint32_t, kFillRows> claimed;
  std::size_t count = 0;
  for (const std::uint32_t id : ids) {
    if (!claim(id)) continue;
    claimed[count++] = id;
    if (count < kFillRows) continue;
    fill_claimed(claimed, embeddings);
    count = 0;
  }
  if (count != 0) fill_claimed(std::span(claimed).first(count), embeddings);
}

void FoldedTable::fill_claimed(std::span<const std::uint32_t> ids,
                               float* embeddings) const noexcept {
  const std::size_t width = embeddings_.embedding_size();
  const auto count = static_cast<std::uint32_t>(ids.size());
  const std::uint32_t first = next_slot_.fetch_add(count, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count; ++i) embeddings_.lookup(ids[i], embeddings + i * width);
  project(projection_.matrix, projection_.bias.data(), {embeddings, count, width, width},
          row_at(first), stride_);
  for (std::uint32_t i = 0; i < count; ++i)
    slots_[ids[i]].store(first + i, std::memory_order_release);
}

const float* FoldedTable::compute(std::uint32_t id, float* buffer,
                                  float* embedding) const noexcept {
  if (claim(id)) {
    fill_claimed({&id, 1}, embedding);
    return address(id);
  }
  const std::size_t width = embeddings_.embedding_size();
  embeddings_.lookup(id, embedding);
  project(projection_.matrix, projection_.bias.data(), {embedding, 1, width, width}, buffer,
          stride_);
  return buffer;
}

}  // namespace skim
