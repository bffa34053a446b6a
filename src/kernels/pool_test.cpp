#include "kernels/pool.h"

#include "kernels/targets.h"
// Above: must come before any Highway header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/pool_reference.h"

namespace skim {
namespace {

// Pseudo-random numbers in [-1, 1), the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : state_(seed) {}
  std::uint32_t next() { return (state_ = state_ * 1664525U + 1013904223U) >> 8; }
  float value() { return static_cast<float>(next()) * 0x1p-23F - 1.0F; }

 private:
  std::uint32_t state_;
};

// A reader's log with random decisions. The padding holds NaN, which must never reach a result.
struct RandomLog {
  std::vector<int> widths;
  std::vector<Step> steps;
  std::vector<float> log;
  bool backward = false;

  UpdateLog view() const {
    return {log.data(), steps.data(), steps.size(), widths.data(), static_cast<int>(widths.size()),
            backward};
  }
  std::size_t hidden() const { return static_cast<std::size_t>(widths[0]); }
};

std::vector<float> with_padding(std::vector<float> values) {
  values.resize(values.size() + kPoolPadding, std::numeric_limits<float>::quiet_NaN());
  return values;
}

RandomLog random_log(std::vector<int> widths, std::size_t count, bool backward) {
  RandomLog log{std::move(widths), {}, {}, backward};
  Numbers numbers(static_cast<std::uint32_t>(count) + 7U);
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t level = numbers.next() % log.widths.size();
    log.steps.push_back({static_cast<std::uint16_t>(log.widths[level]), 0.5F});
  }
  std::size_t total = 0;
  for (const Step& step : log.steps) total += step.width;
  for (std::size_t i = 0; i < total; ++i) log.log.push_back(numbers.value());
  log.log = with_padding(std::move(log.log));
  return log;
}

std::vector<float> random_values(std::size_t count, std::uint32_t seed) {
  Numbers source(seed);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(source.value());
  return with_padding(std::move(values));
}

void expect_near(const std::vector<float>& expected, const std::vector<float>& got,
                 float tolerance) {
  ASSERT_GE(got.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], got[i], tolerance) << "entry " << i;
  }
}

const std::vector<std::vector<int>> kShapes = {
    {1},          {7}, {16, 0}, {10, 3}, {100, 10}, {33, 17, 5}, {40, 39, 1, 0}, {64, 32, 16, 8},
    {200, 100, 1}};

// Shapes of the paper's model, and numbers of steps around the chunks in which they are pooled.
const std::vector<std::vector<int>> kTwoLevels = {{100, 10}, {50, 5}, {9, 8}, {200, 20}, {64, 32}};
const std::vector<std::size_t> kTwoLevelCounts = {1, 127, 128, 129, 256, 300};

// Runs the body once for each SIMD target that this machine supports.
class EveryTarget : public testing::Test {
 protected:
  template <class Body>
  void on_every_target(Body body) {
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      SCOPED_TRACE(hwy::TargetName(target));
      body();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }

  template <class Body>
  void on_every_log(Body body) {
    on_every_target([&] {
      for (const auto& widths : kShapes) {
        for (const std::size_t count : {0U, 1U, 2U, 5U, 64U}) {
          for (const bool backward : {false, true}) {
            SCOPED_TRACE(testing::PrintToString(widths) + " x " + std::to_string(count) +
                         (backward ? " backward" : " forward"));
            body(random_log(widths, count, backward));
          }
        }
      }
    });
  }
};

class Pool : public EveryTarget {};
class LinearSoftmax : public EveryTarget {};

TEST_F(Pool, MaxEqualsTheLargestOfTheDenseRows) {
  on_every_log([](const RandomLog& log) {
    std::vector<float> out = random_values(log.hidden(), 1);
    pool_max(log.view(), out.data());
    expect_near(reference_max(log.view()), out, 0);  // picks a number, computes none
  });
}

TEST_F(Pool, SumEqualsTheSumOfTheDenseRows) {
  on_every_log([](const RandomLog& log) {
    std::vector<float> out = random_values(log.hidden(), 1);
    pool_sum(log.view(), nullptr, out.data());
    // 64 summands below 1 in f32: each addition rounds by at most 64 * 2^-24.
    expect_near(reference_sum(log.view(), nullptr), out, 64.0F * 64.0F * 0x1p-24F);
  });
}

TEST_F(Pool, WeightedSumEqualsThatOfTheDenseRows) {
  on_every_log([](const RandomLog& log) {
    std::vector<float> out = random_values(log.hidden(), 1);
    const std::vector<float> weights = random_values(log.steps.size(), 2);
    pool_sum(log.view(), weights.data(), out.data());
    expect_near(reference_sum(log.view(), weights.data()), out, 64.0F * 64.0F * 0x1p-24F);
  });
}

TEST_F(Pool, RowLogitsEqualTheDotProductsOfTheDenseRows) {
  on_every_log([](const RandomLog& log) {
    std::vector<float> logits(log.steps.size() + kPoolPadding, 0.0F);
    const std::vector<float> w = random_values(log.hidden(), 3);
    row_logits(log.view(), w.data(), logits.data());
    // At most 200 products below 1, each rounded at sums below 200; in practice a hundredth of it.
    expect_near(reference_row_logits(log.view(), w.data()), logits, 2e-5F);
  });
}

TEST_F(Pool, RowLogitsOfTwoDirectionsAddUp) {
  const RandomLog log = random_log({12, 4}, 9, false);
  const std::vector<float> w = random_values(12, 3);
  std::vector<float> logits(9 + kPoolPadding, 1.0F);
  row_logits(log.view(), w.data(), logits.data());
  std::vector<float> expected = reference_row_logits(log.view(), w.data());
  for (float& logit : expected) logit += 1.0F;
  expect_near(expected, logits, 1e-5F);  // rounding of a dozen f32 additions
}

// An empty third level changes no result, but makes pooling take its general loops.
void expect_equal_to_general_loops(const RandomLog& log) {
  RandomLog general = log;
  general.widths.push_back(log.widths.back());
  const std::vector<float> w = random_values(std::max(log.hidden(), log.steps.size()), 3);
  const auto values = [&](const RandomLog& from) {
    std::vector<float> out(2 * log.hidden() + log.steps.size() + kPoolPadding, 0.5F);
    row_logits(from.view(), w.data(), out.data());
    pool_sum(from.view(), w.data(), out.data() + log.steps.size());
    pool_sum(from.view(), nullptr, out.data() + log.steps.size() + log.hidden());
    return out;
  };
  EXPECT_EQ(values(log), values(general));
}

TEST_F(Pool, TwoLevelsEqualTheGeneralLoopsToTheBit) {
  on_every_target([] {
    for (const auto& widths : kTwoLevels) {
      for (const std::size_t count : kTwoLevelCounts) {
        for (const bool backward : {false, true}) {
          SCOPED_TRACE(testing::PrintToString(widths) + " x " + std::to_string(count));
          expect_equal_to_general_loops(random_log(widths, count, backward));
        }
      }
    }
  });
}

TEST_F(Pool, DoesNotWriteBeyondTheResult) {
  // The forward half of a row is pooled into the floats right before the backward half.
  on_every_log([](const RandomLog& log) {
    const std::size_t hidden = log.hidden();
    std::vector<float> out(hidden + kPoolPadding, 0.25F);
    pool_max(log.view(), out.data());
    EXPECT_THAT(std::vector<float>(out.begin() + static_cast<std::ptrdiff_t>(hidden), out.end()),
                testing::Each(0.25F));
    pool_sum(log.view(), nullptr, out.data());
    EXPECT_THAT(std::vector<float>(out.begin() + static_cast<std::ptrdiff_t>(hidden), out.end()),
                testing::Each(0.25F));
  });
}

TEST_F(LinearSoftmax, SoftmaxEqualsTheReference) {
  on_every_target([] {
    for (const std::size_t count : {1U, 2U, 5U, 8U, 31U}) {
      std::vector<float> values = random_values(count, static_cast<std::uint32_t>(count));
      for (std::size_t i = 0; i < count; ++i) values[i] *= 20.0F;
      const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
      const std::vector<float> expected = reference_softmax({values.begin(), end});
      softmax(values.data(), count);
      expect_near(expected, values, 4e-7F);  // a few roundings of f32
    }
  });
}

TEST_F(LinearSoftmax, SoftmaxOfHugeLogitsStaysFinite) {
  on_every_target([] {
    std::vector<float> values = with_padding({3e38F, -3e38F, 3e38F});
    softmax(values.data(), 3);
    expect_near({0.5F, 0.0F, 0.5F}, values, 0);
  });
}

TEST_F(LinearSoftmax, LinearEqualsTheReference) {
  on_every_target([] {
    for (const std::size_t columns : {1U, 7U, 16U, 130U}) {
      const std::vector<float> w = random_values(3 * columns, 5);
      const std::vector<float> b = random_values(3, 6);
      const std::vector<float> x = random_values(columns, 7);
      const LinearParams layer{w.data(), b.data(), 3, columns};
      std::vector<float> out(3);
      linear(layer, x.data(), out.data());
      expect_near(reference_linear(layer, x.data()), out, 1e-5F);  // 130 f32 additions
    }
  });
}

}  // namespace
}  // namespace skim
