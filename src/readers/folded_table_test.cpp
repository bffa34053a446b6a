#include "readers/folded_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "kernels/sequence.h"
#include "kernels/target.h"

namespace skim {
namespace {

class CountingEmbeddings final : public EmbeddingTable {
 public:
  std::size_t num_embeddings() const override { return 500; }
  std::size_t embedding_size() const override { return 3; }
  void lookup(std::uint32_t id, float* out) const noexcept override {
    for (std::size_t j = 0; j < 3; ++j) out[j] = static_cast<float>(id + j);
  }
};

Projection identity() {
  static const std::vector<float> values = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<PackRow> rows = {
      {values.data(), 1.0F}, {values.data() + 3, 1.0F}, {values.data() + 6, 1.0F}};
  Projection projection;
  projection.matrix = pack_matrix(rows, 3, WeightType::f32, projection_lanes());
  projection.bias = Buffer<float>(projection.matrix.rows);
  return projection;
}

void expect_row(const void* found, std::uint32_t id) {
  const auto* row = static_cast<const float*>(found);
  for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(row[j], static_cast<float>(id + j));
}

TEST(FoldedTable, StaysWithinItsMemoryLimitAndComputesTheRest) {
  const Projection projection = identity();
  const CountingEmbeddings embeddings;
  const std::size_t row_bytes =
      FoldedTable(projection, embeddings, 0).buffer_floats() * sizeof(float);
  const FoldedTable table(projection, embeddings, 10 * row_bytes + row_bytes / 2);
  EXPECT_EQ(table.bytes(), 10 * row_bytes);
  std::vector<float> buffer(table.buffer_floats()), embedding(3);
  for (std::uint32_t id = 0; id < 500; ++id) {
    const void* row = table.row(id, buffer.data(), embedding.data());
    EXPECT_EQ(row == buffer.data(), id >= 10);
    expect_row(row, id);
  }
}

// Embeddings and projection with roundings in every sum.
class RandomEmbeddings final : public EmbeddingTable {
 public:
  std::size_t num_embeddings() const override { return 200; }
  std::size_t embedding_size() const override { return 37; }
  void lookup(std::uint32_t id, float* out) const noexcept override {
    std::mt19937 random(id);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::size_t j = 0; j < 37; ++j) out[j] = uniform(random);
  }
};

Projection random_projection(std::size_t outputs) {
  std::vector<float> weights(outputs * 37);
  const RandomEmbeddings source;
  for (std::uint32_t i = 0; i < outputs; ++i) source.lookup(1000 + i, weights.data() + i * 37);
  std::vector<PackRow> rows;
  for (std::size_t i = 0; i < outputs; ++i) rows.push_back({weights.data() + i * 37, 1.0F});
  Projection projection;
  projection.matrix = pack_matrix(rows, 37, WeightType::f32, projection_lanes());
  projection.bias = Buffer<float>(projection.matrix.rows);
  return projection;
}

TEST(FoldedTable, RowsFilledInBatchesAreBitIdenticalToSingleRows) {
  const Projection projection = random_projection(101);
  const RandomEmbeddings embeddings;
  const FoldedTable singly(projection, embeddings, std::size_t{1} << 20U);
  std::vector<float> buffer(singly.buffer_floats()), scratch(37 * FoldedTable::kFillRows);
  for (std::size_t count = 1; count <= 60; ++count) {
    const FoldedTable batched(projection, embeddings, 100 * singly.buffer_floats() * sizeof(float));
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < count; ++i) {
      ids.push_back(7 * i % 120);  // some are beyond the table
      ids.push_back(7 * (i / 2) % 120);
    }
    batched.fill(ids, scratch.data(), nullptr);
    for (const std::uint32_t id : ids) {
      ASSERT_EQ(batched.address(id) != nullptr, id < 100) << id;
      if (id >= 100) continue;
      const void* row = singly.row(id, buffer.data(), scratch.data());
      ASSERT_EQ(std::memcmp(batched.address(id), row, 101 * sizeof(float)), 0) << id;
    }
  }
}

TEST(FoldedTable, CompactRowsAreRoundedToSixteenBits) {
  const Projection projection = random_projection(101);
  const RandomEmbeddings embeddings;
  const FoldedTable exact(projection, embeddings, std::size_t{1} << 20U);
  const FoldedTable compact(projection, embeddings, std::size_t{1} << 20U,
                            FoldedTable::RowFormat::compact);
  EXPECT_LT(compact.bytes(), exact.bytes());
  std::vector<float> buffer(compact.buffer_floats()), scratch(37 * FoldedTable::kFillRows);
  for (std::uint32_t id = 0; id < 200; ++id) {
    const auto* floats = static_cast<const float*>(exact.row(id, buffer.data(), scratch.data()));
    const auto* row =
        static_cast<const CompactEntry*>(compact.row(id, buffer.data(), scratch.data()));
    float scale = 0, largest = 0;
    std::memcpy(&scale, row, sizeof scale);
    for (std::size_t i = 0; i < 101; ++i) {
      largest = std::max(largest, std::abs(floats[i]));
      // Half an entry, and the rounding of both products: 2^-23 of at most 32,767 entries.
      ASSERT_NEAR(static_cast<float>(row[kCompactHeader + i]) * scale, floats[i], 0.51F * scale);
    }
    EXPECT_FLOAT_EQ(scale, largest / 32767);
  }
}

TEST(FoldedTable, CompactRowsAreTheSameInBatchesAndBeyondTheTable) {
  const Projection projection = random_projection(101);
  const RandomEmbeddings embeddings;
  constexpr auto kCompact = FoldedTable::RowFormat::compact;
  const FoldedTable none(projection, embeddings, 0, kCompact);
  const FoldedTable batched(projection, embeddings, std::size_t{1} << 20U, kCompact);
  std::vector<float> buffer(none.buffer_floats()), scratch(37 * FoldedTable::kFillRows);
  std::vector<std::uint32_t> ids(200);
  std::iota(ids.begin(), ids.end(), 0U);
  batched.fill(ids, scratch.data(), buffer.data());
  for (const std::uint32_t id : ids) {
    const void* row = none.row(id, buffer.data(), scratch.data());
    ASSERT_EQ(std::memcmp(batched.address(id), row, compact_row_bytes(101)), 0) << id;
  }
}

// Embeddings whose projections are not finite, zero, or too small to divide by.
class OddEmbeddings final : public EmbeddingTable {
 public:
  std::size_t num_embeddings() const override { return 4; }
  std::size_t embedding_size() const override { return 3; }
  void lookup(std::uint32_t id, float* out) const noexcept override {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float value[] = {kInfinity, std::nanf(""), 0.0F, 1e-40F};
    for (std::size_t j = 0; j < 3; ++j) out[j] = j == 1 ? value[id] : 0.0F;
  }
};

TEST(FoldedTable, CompactRowsThatAreNotFiniteStaySo) {
  const Projection projection = identity();
  const OddEmbeddings embeddings;
  const FoldedTable table(projection, embeddings, std::size_t{1} << 20U,
                          FoldedTable::RowFormat::compact);
  std::vector<float> buffer(table.buffer_floats()), scratch(3 * FoldedTable::kFillRows);
  for (std::uint32_t id = 0; id < 4; ++id) {
    const auto* row =
        static_cast<const CompactEntry*>(table.row(id, buffer.data(), scratch.data()));
    float scale = 0;
    std::memcpy(&scale, row, sizeof scale);
    const float value = static_cast<float>(row[kCompactHeader + 1]) * scale;
    if (id < 2)
      EXPECT_TRUE(std::isnan(value));
    else
      EXPECT_EQ(value, 0.0F);
  }
}

TEST(FoldedTable, RowsStayWhereTheyAreWhenOthersAreFilled) {
  const Projection projection = identity();
  const CountingEmbeddings embeddings;
  const FoldedTable table(projection, embeddings, std::size_t{1} << 20U);
  std::vector<float> buffer(table.buffer_floats()), scratch(3 * FoldedTable::kFillRows);
  EXPECT_EQ(table.address(499), nullptr);
  const void* row = table.row(499, buffer.data(), scratch.data());
  std::vector<std::uint32_t> all(500);
  std::iota(all.begin(), all.end(), 0U);
  table.fill(all, scratch.data(), nullptr);
  EXPECT_EQ(table.address(499), row);
  for (const std::uint32_t id : all) {
    EXPECT_FALSE(table.is_missing(id));
    expect_row(table.address(id), id);
  }
}

TEST(FoldedTable, ConcurrentFillsAllReturnTheRow) {
  const Projection projection = identity();
  const CountingEmbeddings embeddings;
  for (int round = 0; round < 20; ++round) {
    const FoldedTable table(projection, embeddings, std::size_t{1} << 20U);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      // Half of the threads fill batches before they look rows up.
      threads.emplace_back([&table, batched = i % 2 == 0] {
        std::vector<float> buffer(table.buffer_floats()), scratch(3 * FoldedTable::kFillRows);
        std::vector<std::uint32_t> batch(50);
        for (std::uint32_t id = 0; id < 500; ++id) {
          if (batched && id % 50 == 0) {
            std::iota(batch.begin(), batch.end(), id);
            table.fill(batch, scratch.data(), nullptr);
          }
          expect_row(table.row(id, buffer.data(), scratch.data()), id);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace skim
