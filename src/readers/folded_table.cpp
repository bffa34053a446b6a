#include "readers/folded_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/project.h"
#include "kernels/sequence.h"

namespace skim {
namespace {

constexpr float kMaxEntry = std::numeric_limits<CompactEntry>::max();

// The largest magnitude; infinite or NaN if any value is. Compared as integers, which compilers
// vectorize.
float max_magnitude(const float* values, std::size_t count) {
  std::int32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(largest, std::bit_cast<std::int32_t>(values[i]) & 0x7FFF'FFFF);
  return std::bit_cast<float>(largest);
}

// Rounds half away from zero.
CompactEntry round_entry(float value) {
  return static_cast<CompactEntry>(static_cast<std::int32_t>(value + std::copysign(0.5F, value)));
}

}  // namespace

FoldedTable::FoldedTable(const Projection& projection, const EmbeddingTable& embeddings,
                         std::size_t max_bytes, RowFormat format)
    : projection_(projection),
      embeddings_(embeddings),
      format_(format),
      stride_(round_up(projection.floats(), kCacheLine / sizeof(float))),
      row_bytes_(format == RowFormat::floats
                     ? stride_ * sizeof(float)
                     : round_up(compact_row_bytes(projection.floats()), kCacheLine)) {
  rows_ = std::min({embeddings.num_embeddings(), max_bytes / row_bytes_, kMaxRows});
  memory_ = AnonymousMapping(rows_ * row_bytes_);
  if (memory_.data() == nullptr) rows_ = 0;
  slots_ = std::make_unique<std::atomic<std::uint32_t>[]>(rows_);
}

// Projected rows, and one compact row.
std::size_t FoldedTable::buffer_floats() const {
  if (!is_compact()) return stride_;
  return kFillCompactRows * stride_ + row_bytes_ / sizeof(float);
}

bool FoldedTable::claim(std::uint32_t id) const noexcept {
  std::uint32_t expected = kEmpty;
  return is_missing(id) && slots_[id].compare_exchange_strong(expected, kClaimed);
}

void FoldedTable::fill(std::span<const std::uint32_t> ids, float* embeddings,
                       float* buffer) const noexcept {
  const std::size_t batch = is_compact() ? kFillCompactRows : kFillRows;
  std::array<std::uint32_t, kFillRows> claimed;
  std::size_t count = 0;
  for (const std::uint32_t id : ids) {
    if (!claim(id)) continue;
    claimed[count++] = id;
    if (count < batch) continue;
    fill_claimed(std::span(claimed).first(count), embeddings, buffer);
    count = 0;
  }
  if (count != 0) fill_claimed(std::span(claimed).first(count), embeddings, buffer);
}

void FoldedTable::fill_claimed(std::span<const std::uint32_t> ids, float* embeddings,
                               float* buffer) const noexcept {
  const auto count = static_cast<std::uint32_t>(ids.size());
  const std::uint32_t first = next_slot_.fetch_add(count, std::memory_order_relaxed);
  project_words(ids, embeddings, is_compact() ? buffer : reinterpret_cast<float*>(row_at(first)));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_compact()) pack(buffer + i * stride_, row_at(first + i));
    slots_[ids[i]].store(first + i, std::memory_order_release);
  }
}

void FoldedTable::project_words(std::span<const std::uint32_t> ids, float* embeddings,
                                float* out) const noexcept {
  const std::size_t width = embeddings_.embedding_size();
  for (std::size_t i = 0; i < ids.size(); ++i) embeddings_.lookup(ids[i], embeddings + i * width);
  project_rows(embeddings, ids.size(), out);
}

void FoldedTable::project_rows(const float* embeddings, std::size_t count,
                               float* out) const noexcept {
  const std::size_t width = embeddings_.embedding_size();
  project(projection_.matrix, projection_.bias.data(), {embeddings, count, width, width}, out,
          stride_);
}

// A row that is not finite, or too small to divide by its scale, is zero times that scale: NaN or
// zero.
void FoldedTable::pack(const float* row, void* out) const noexcept {
  const std::size_t count = projection_.floats();
  const float largest = max_magnitude(row, count);
  const bool normal = largest > 1e-30F && largest <= std::numeric_limits<float>::max();
  const float scale = largest / kMaxEntry;
  const float factor = normal ? kMaxEntry / largest : 0.0F;
  std::memcpy(out, &scale, sizeof scale);
  CompactEntry* entries = static_cast<CompactEntry*>(out) + kCompactHeader;
  if (normal)
    for (std::size_t i = 0; i < count; ++i) entries[i] = round_entry(row[i] * factor);
  else
    std::fill_n(entries, count, CompactEntry{0});
}

const void* FoldedTable::compute(std::uint32_t id, float* buffer, float* embedding,
                                 const float* composed) const noexcept {
  if (claim(id)) {
    fill_claimed({&id, 1}, embedding, buffer);
    return address(id);
  }
  lookup_word(embeddings_, composed, id, embedding);
  project_rows(embedding, 1, buffer);
  if (!is_compact()) return buffer;
  float* packed = buffer + kFillCompactRows * stride_;
  pack(buffer, packed);
  return packed;
}

}  // namespace skim
