#include "kernels/project.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/target.h"

namespace skim {
namespace {

std::vector<float> random_matrix(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

struct Case {
  std::size_t outputs, columns, rows;
};

class Project : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    weights_ = random_matrix(GetParam().outputs * GetParam().columns, 1);
    input_ = random_matrix(GetParam().rows * GetParam().columns, 2);
    bias_ = random_matrix(GetParam().outputs + 64, 3);
  }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  PackedMatrix pack() const {
    std::vector<PackRow> rows;
    for (std::size_t i = 0; i < GetParam().outputs; ++i) {
      rows.push_back({weights_.data() + i * GetParam().columns, 2.0F});
    }
    return pack_matrix(rows, GetParam().columns, WeightType::f32, projection_lanes());
  }
  Rows rows(std::size_t first, std::size_t count) const {
    return {input_.data() + first * GetParam().columns, count, GetParam().columns,
            GetParam().columns};
  }

  std::vector<float> weights_, input_, bias_;
};

TEST_P(Project, EqualsTheScalarReferenceOnEveryTarget) {
  const auto [outputs, columns, count] = GetParam();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    const PackedMatrix matrix = pack();
    std::vector<float> out(count * matrix.rows);
    project(matrix, bias_.data(), rows(0, count), out.data(), matrix.rows);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t i = 0; i < outputs; ++i) {
        double sum = static_cast<double>(bias_[i]);
        for (std::size_t j = 0; j < columns; ++j) {
          sum += 2.0 * static_cast<double>(weights_[i * columns + j]) *
                 static_cast<double>(input_[r * columns + j]);
        }
        // f32 sums of `columns` products of size 1.
        ASSERT_NEAR(out[r * matrix.rows + i], sum, 1e-6 * static_cast<double>(columns + 1))
            << target_name();
      }
    }
  }
}

TEST_P(Project, RowByRowIsBitIdenticalToTheBatch) {
  const std::size_t count = GetParam().rows;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    const PackedMatrix matrix = pack();
    std::vector<float> batch(count * matrix.rows), row_by_row(count * matrix.rows);
    project(matrix, bias_.data(), rows(0, count), batch.data(), matrix.rows);
    for (std::size_t r = 0; r < count; ++r) {
      project(matrix, bias_.data(), rows(r, 1), row_by_row.data() + r * matrix.rows, matrix.rows);
    }
    ASSERT_EQ(batch, row_by_row) << target_name();
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Project,
                         testing::Values(Case{1, 1, 1}, Case{5, 3, 2}, Case{41, 100, 9},
                                         Case{400, 100, 13}, Case{97, 31, 64}));

TEST(PackedMatrix, GroupsAreBalancedAndCoverAllVectors) {
  const std::vector<float> row(10, 1.0F);
  const std::vector<PackRow> rows(416, PackRow{row.data(), 1.0F});
  const PackedMatrix matrix =
      pack_matrix(rows, 10, WeightType::f32, 8, 4);  // d = 100 on AVX2: 13 blocks of 4 gates
  std::size_t covered = 0;
  for (const PackGroup& group : matrix.groups) {
    EXPECT_EQ(group.first, covered);
    EXPECT_LE(group.vectors, kMaxAccumulators);
    EXPECT_GE(group.vectors, 8U);  // at least two blocks: eight accumulators hide the latency
    covered += group.vectors;
  }
  EXPECT_EQ(covered * 8, matrix.rows);
}

TEST(PackedMatrix, Bf16WeightsAreQuantizedWithMoreThanEightBits) {
  for (const std::size_t columns : {64U, 400U, 1000U}) {
    const std::vector<float> row = random_matrix(columns, 4);
    const std::vector<PackRow> rows = {PackRow{row.data(), 1.0F}};
    const PackedMatrix matrix = pack_matrix(rows, columns, WeightType::bf16, 8);
    float max_magnitude = 0;
    for (const float value : row) max_magnitude = std::max(max_magnitude, std::fabs(value));
    for (std::size_t column = 0; column < columns; ++column) {
      std::int16_t weight;
      const std::size_t lane = column / 2 * 8;
      std::memcpy(&weight,
                  matrix.weights.data() + lane * sizeof(std::int32_t) + column % 2 * sizeof weight,
                  sizeof weight);
      // bf16 keeps 8 bits: half a step of the max_magnitude weight is 2^-9 of it.
      EXPECT_NEAR(static_cast<float>(weight) * matrix.scales[0] * kInt16StateScale, row[column],
                  max_magnitude / 1024);
    }
  }
}

TEST(PackedMatrix, QuantizedSumsNeverOverflow) {
  for (const std::size_t columns : {1U, 100U, 4000U}) {
    const std::vector<float> row(columns, 3.0F);
    const std::vector<PackRow> rows = {PackRow{row.data(), 1.0F}};
    const PackedMatrix matrix = pack_matrix(rows, columns, WeightType::bf16, 8);
    double sum = 0;
    for (std::size_t lane = 0; lane < matrix.steps * 8; lane += 8) {
      std::int16_t pair[2];
      std::memcpy(pair, matrix.weights.data() + lane * sizeof(std::int32_t), sizeof pair);
      sum += std::fabs(pair[0] * kInt16StateScale) + std::fabs(pair[1] * kInt16StateScale);
    }
    EXPECT_LE(sum, 2147483647.0);
    EXPECT_GE(sum, columns == 1 ? 1e8 : 2e9) << "precision is wasted";
  }
}

}  // namespace
}  // namespace skim
