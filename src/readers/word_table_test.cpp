#include "readers/word_table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "kernels/target.h"

namespace skim {
namespace {

class CountingWords final : public WordSource {
 public:
  std::size_t count() const override { return 500; }
  std::size_t width() const override { return 3; }
  void vector(std::uint32_t id, float* out) const noexcept override {
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

TEST(WordTable, KeepsToItsMemoryAndComputesTheRest) {
  const Projection projection = identity();
  const CountingWords words;
  const std::size_t row_bytes = WordTable(projection, words, 0).row_floats() * sizeof(float);
  const WordTable table(projection, words, 10 * row_bytes + row_bytes / 2);
  EXPECT_EQ(table.bytes(), 10 * row_bytes);
  std::vector<float> spare(table.row_floats()), vector(3);
  for (std::uint32_t id = 0; id < 500; ++id) {
    const float* row = table.row(id, spare.data(), vector.data());
    EXPECT_EQ(row == spare.data(), id >= 10);
    expect_row(row, id);
  }
}

TEST(WordTable, ThreadsThatFillItAtTheSameTimeAllGetTheRow) {
  const Projection projection = identity();
  const CountingWords words;
  for (int round = 0; round < 20; ++round) {
    const WordTable table(projection, words, std::size_t{1} << 20U);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&table] {
        std::vector<float> spare(table.row_floats()), vector(3);
        for (std::uint32_t id = 0; id < 500; ++id)
          expect_row(table.row(id, spare.data(), vector.data()), id);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace skim
