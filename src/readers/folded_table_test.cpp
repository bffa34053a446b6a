#include "readers/folded_table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

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
  projection.matrix = pack_matrix(rows, 3, WeightType::f32, vector_lanes());
  projection.bias = Buffer<float>(projection.matrix.rows);
  return projection;
}

void expect_row(const float* row, std::uint32_t id) {
  for (std::size_t j = 0; j < 3; ++j) ASSERT_EQ(row[j], static_cast<float>(id + j));
}

TEST(FoldedTable, StaysWithinItsMemoryLimitAndComputesTheRest) {
  const Projection projection = identity();
  const CountingEmbeddings embeddings;
  const std::size_t row_bytes = FoldedTable(projection, embeddings, 0).row_floats() * sizeof(float);
  const FoldedTable table(projection, embeddings, 10 * row_bytes + row_bytes / 2);
  EXPECT_EQ(table.bytes(), 10 * row_bytes);
  std::vector<float> buffer(table.row_floats()), embedding(3);
  for (std::uint32_t id = 0; id < 500; ++id) {
    const float* row = table.row(id, buffer.data(), embedding.data());
    EXPECT_EQ(row == buffer.data(), id >= 10);
    expect_row(row, id);
  }
}

TEST(FoldedTable, ConcurrentFillsAllReturnTheRow) {
  const Projection projection = identity();
  const CountingEmbeddings embeddings;
  for (int round = 0; round < 20; ++round) {
    const FoldedTable table(projection, embeddings, std::size_t{1} << 20U);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&table] {
        std::vector<float> buffer(table.row_floats()), embedding(3);
        for (std::uint32_t id = 0; id < 500; ++id)
          expect_row(table.row(id, buffer.data(), embedding.data()), id);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace skim
