// Pooling over the log of a skim reader with two levels, the paper's model: the same results as the
// general loops of pool.cpp, to the bit. Included once per target.
//
// Every update changes the prefix, which the small cell updates, and reads also change the suffix.
// The first loop over a chunk of steps works on the prefixes, in registers, and collects the reads
// without a branch: whether a word was read is unpredictable. The second loop works on the suffixes
// of the collected reads.

#if defined(SKIM_KERNELS_POOL_TWO_LEVELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKIM_KERNELS_POOL_TWO_LEVELS_INL_H_
#undef SKIM_KERNELS_POOL_TWO_LEVELS_INL_H_
#else
#define SKIM_KERNELS_POOL_TWO_LEVELS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/pool_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace {

// Steps per chunk, so that what is collected fits on the stack and in the L1 cache.
inline constexpr std::size_t kPoolChunk = 128;

// Iterates over the updates of a log.
class UpdateCursor {
 public:
  explicit UpdateCursor(const UpdateLog& log)
      : row_(log.log),
        step_(log.steps + (log.backward ? log.count - 1 : 0)),
        stride_(log.backward ? -1 : 1),
        hidden_size_(log.widths[0]) {}

  const float* row() const { return row_; }
  bool is_read() const { return step_->width == hidden_size_; }
  void advance() {
    row_ += step_->width;
    step_ += stride_;
  }

 private:
  const float* row_;
  const Step* step_;
  std::ptrdiff_t stride_;
  int hidden_size_;
};

// The first `width` entries of a row as kVectors vectors, zero beyond them.
template <std::size_t kVectors>
class Prefix {
 public:
  explicit Prefix(std::size_t width)
      : inside_(hn::FirstN(PoolTag(), width - (kVectors - 1) * hn::Lanes(PoolTag()))) {}

  HWY_INLINE PoolVec Load(const float* row, std::size_t v) const {
    const PoolTag tag;
    const PoolVec values = hn::LoadU(tag, row + v * hn::Lanes(tag));
    return v + 1 == kVectors ? hn::IfThenElseZero(inside_, values) : values;
  }
  HWY_INLINE void Store(PoolVec values, float* row, std::size_t v) const {
    const PoolTag tag;
    float* to = row + v * hn::Lanes(tag);
    if (v + 1 == kVectors) values = hn::IfThenElse(inside_, values, hn::LoadU(tag, to));
    hn::StoreU(values, tag, to);
  }

 private:
  hn::Mask<PoolTag> inside_;
};

template <std::size_t kVectors>
void AddRowLogits(const UpdateLog& log, const float* w, float* logits) {
  const PoolTag tag;
  const Prefix<kVectors> prefix(static_cast<std::size_t>(log.widths[1]));
  PoolVec weights[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) weights[v] = prefix.Load(w, v);
  float prefix_dots[kPoolChunk];
  std::uint8_t read_index[kPoolChunk];  // of the latest read
  const float* reads[kPoolChunk + 1];   // from index 1 on; 0 is the latest of the last chunk
  float suffix_dots[kPoolChunk + 1] = {};
  UpdateCursor at(log);
  for (std::size_t first = 0; first < log.count; first += kPoolChunk) {
    const std::size_t count = std::min(kPoolChunk, log.count - first);
    std::size_t last = 0;
    for (std::size_t i = 0; i < count; ++i, at.advance()) {
      PoolVec sum = hn::Zero(tag);
      for (std::size_t v = 0; v < kVectors; ++v)
        sum = hn::MulAdd(weights[v], prefix.Load(at.row(), v), sum);
      prefix_dots[i] = hn::GetLane(hn::SumOfLanes(tag, sum));
      reads[last + 1] = at.row();
      last += at.is_read() ? 1U : 0U;
      read_index[i] = static_cast<std::uint8_t>(last);
    }
    for (std::size_t r = 1; r <= last; ++r)
      suffix_dots[r] = SegmentDot(w, reads[r], LevelSegment(log, 0));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t t = log.backward ? log.count - 1 - (first + i) : first + i;
      logits[t] += 0.0F + suffix_dots[read_index[i]] + prefix_dots[i];
    }
    suffix_dots[0] = suffix_dots[last];
  }
}

// The reads of a chunk with the total weight of the steps from each to the next one.
struct WeightedReads {
  const float* rows[kPoolChunk + 1];  // 0 is the latest read of the chunk before, or null
  double totals[kPoolChunk + 1];

  // Adds those up to `end` to a segment of `out`. kColumns vectors stay in registers.
  template <std::size_t kColumns>
  HWY_INLINE void AddColumns(std::size_t end, std::size_t at, float* out) const {
    const PoolTag tag;
    const std::size_t lanes = hn::Lanes(tag);
    PoolVec sum[kColumns];
    for (std::size_t c = 0; c < kColumns; ++c) sum[c] = hn::LoadU(tag, out + at + c * lanes);
    for (std::size_t r = rows[0] == nullptr ? 1 : 0; r < end; ++r) {
      const PoolVec scale = hn::Set(tag, static_cast<float>(totals[r]));
      for (std::size_t c = 0; c < kColumns; ++c)
        sum[c] = hn::MulAdd(scale, hn::LoadU(tag, rows[r] + at + c * lanes), sum[c]);
    }
    for (std::size_t c = 0; c < kColumns; ++c) hn::StoreU(sum[c], tag, out + at + c * lanes);
  }

  HWY_INLINE void AddTo(float* out, std::size_t end, Segment segment) const {
    const std::size_t lanes = hn::Lanes(PoolTag());
    std::size_t i = segment.begin;
    for (; i + 4 * lanes <= segment.end; i += 4 * lanes) AddColumns<4>(end, i, out);
    for (std::size_t r = rows[0] == nullptr ? 1 : 0; r < end; ++r)
      AddScaled(out, rows[r], static_cast<float>(totals[r]), {i, segment.end});
  }
};

template <std::size_t kVectors>
void AddWeightedRows(const UpdateLog& log, const float* weights, float* out) {
  const PoolTag tag;
  const Prefix<kVectors> prefix(static_cast<std::size_t>(log.widths[1]));
  PoolVec sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(tag);
  WeightedReads reads;
  reads.rows[0] = nullptr;
  double total = 0;
  UpdateCursor at(log);
  for (std::size_t first = 0; first < log.count; first += kPoolChunk) {
    const std::size_t count = std::min(kPoolChunk, log.count - first);
    std::size_t last = 0;
    for (std::size_t i = 0; i < count; ++i, at.advance()) {
      const std::size_t t = log.backward ? log.count - 1 - (first + i) : first + i;
      const float weight = weights == nullptr ? 1.0F : weights[t];
      for (std::size_t v = 0; v < kVectors; ++v)
        sum[v] = hn::MulAdd(hn::Set(tag, weight), prefix.Load(at.row(), v), sum[v]);
      reads.rows[last + 1] = at.row();
      last += at.is_read() ? 1U : 0U;
      total = (at.is_read() ? 0.0 : total) + static_cast<double>(weight);
      reads.totals[last] = total;
    }
    // The steps after the latest read continue in the next chunk.
    const bool end = first + count == log.count;
    reads.AddTo(out, end ? last + 1 : last, LevelSegment(log, 0));
    reads.rows[0] = reads.rows[last];
    reads.totals[0] = total;
  }
  for (std::size_t v = 0; v < kVectors; ++v) prefix.Store(sum[v], out, v);
}

// Calls run(std::integral_constant) with the number of vectors of the prefix and returns true;
// returns false when the log has not two levels, or a prefix that does not fit in registers.
template <class Run>
HWY_INLINE bool DispatchPrefix(const UpdateLog& log, Run run) {
  if (log.levels != 2 || log.count == 0) return false;
  const std::size_t lanes = hn::Lanes(PoolTag());
  switch ((static_cast<std::size_t>(log.widths[1]) + lanes - 1) / lanes) {
    case 1:
      run(std::integral_constant<std::size_t, 1>());
      return true;
    case 2:
      run(std::integral_constant<std::size_t, 2>());
      return true;
    case 3:
      run(std::integral_constant<std::size_t, 3>());
      return true;
    default:
      return false;
  }
}

// RowLogits for two levels; false when it does not apply.
inline bool RowLogitsOfTwoLevels(const UpdateLog& log, const float* w, float* logits) {
  return DispatchPrefix(log,
                        [&](auto vectors) HWY_ATTR { AddRowLogits<vectors()>(log, w, logits); });
}

// PoolSum for two levels; false when it does not apply.
inline bool PoolSumOfTwoLevels(const UpdateLog& log, const float* weights, float* out) {
  return DispatchPrefix(log, [&](auto vectors) HWY_ATTR {
    std::fill_n(out, log.widths[0], 0.0F);
    AddWeightedRows<vectors()>(log, weights, out);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#endif  // include guard
