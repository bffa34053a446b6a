// Compares pooling, attention and projections with scalar references on random shapes, on every
// SIMD target (tests/support/random_cases.h runs more cases).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "kernels/attention.h"
#include "kernels/every_target.h"
#include "kernels/pool.h"
#include "kernels/pool_reference.h"
#include "kernels/project.h"
#include "kernels/target.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_spec.h"

namespace skim {
namespace {

#ifdef SKIM_SANITIZED
constexpr std::uint64_t kUsualShapes = 30;
#else
constexpr std::uint64_t kUsualShapes = 400;
#endif

// Tolerance of an f32 sum of `count` random products below 1. Partial sums stay near the square
// root of their length, so that the roundings add up to about count * 2^-24; this is four times as
// much.
double sum_tolerance(std::size_t count) { return static_cast<double>(count + 1) * 0x1p-22; }

// Uniform values and padding of NaN, which must never reach a result.
std::vector<float> draw_padded(Random& random, std::size_t count, float bound = 1) {
  std::vector<float> values(count + kPoolPadding, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < count; ++i) values[i] = random.uniform_within(bound);
  return values;
}

// The state updates of a reader with random decisions.
struct DrawnLog {
  explicit DrawnLog(Random& random) : widths{draw_between(random, 1, 200)} {
    if (random.bernoulli(0.8))
      for (const int size : draw_skim_sizes(random, widths[0])) widths.push_back(size);
    std::size_t total = 0;
    for (std::size_t count = random.below(80); count > 0; --count) {
      const int width = widths[random.below(widths.size())];
      steps.push_back({static_cast<std::uint16_t>(width), 0.5F});
      total += static_cast<std::size_t>(width);
    }
    values = draw_padded(random, total);
    backward = random.bernoulli(0.5);
  }
  UpdateLog view() const {
    return {
        values.data(), steps.data(), steps.size(), widths.data(), static_cast<int>(widths.size()),
        backward};
  }

  std::vector<int> widths;
  std::vector<Step> steps;
  std::vector<float> values;
  bool backward = false;
};

void expect_all_near(const std::vector<float>& expected, const float* got, double tolerance) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(expected[i], got[i], tolerance) << target_name() << ", entry " << i;
}

TEST(RandomKernels, PoolingEqualsTheReferenceOnEveryTarget) {
  for_each_case(kUsualShapes, [](std::uint64_t seed) {
    Random random(seed, 4);
    const DrawnLog log(random);
    const auto hidden = static_cast<std::size_t>(log.widths[0]);
    const std::vector<float> weights = draw_padded(random, log.steps.size());
    const std::vector<float> w = draw_padded(random, hidden);
    const double of_sum = sum_tolerance(log.steps.size()), of_dot = sum_tolerance(hidden);
    on_every_target([&] {
      std::vector<float> out(hidden + kPoolPadding);
      pool_max(log.view(), out.data());
      expect_all_near(reference_max(log.view()), out.data(), 0);
      pool_sum(log.view(), nullptr, out.data());
      expect_all_near(reference_sum(log.view(), nullptr), out.data(), of_sum);
      pool_sum(log.view(), weights.data(), out.data());
      expect_all_near(reference_sum(log.view(), weights.data()), out.data(), of_sum);
      std::vector<float> logits(log.steps.size() + kPoolPadding, 0.0F);
      row_logits(log.view(), w.data(), logits.data());
      expect_all_near(reference_row_logits(log.view(), w.data()), logits.data(), of_dot);
    });
  });
}

TEST(RandomKernels, LinearAndSoftmaxEqualTheReferenceOnEveryTarget) {
  for_each_case(kUsualShapes, [](std::uint64_t seed) {
    Random random(seed, 5);
    const std::size_t rows = 1 + random.below(40), columns = 1 + random.below(300);
    const std::vector<float> weight = draw_padded(random, rows * columns);
    const std::vector<float> bias = draw_padded(random, rows), x = draw_padded(random, columns);
    const LinearParams layer{weight.data(), bias.data(), rows, columns};
    const std::vector<float> logits = draw_padded(random, rows, 30);
    on_every_target([&] {
      std::vector<float> out(rows + kPoolPadding);
      linear(layer, x.data(), out.data());
      expect_all_near(reference_linear(layer, x.data()), out.data(), sum_tolerance(columns));
      std::vector<float> likely = logits;
      softmax(likely.data(), rows);
      const auto end = logits.begin() + static_cast<std::ptrdiff_t>(rows);
      // A few roundings of f32.
      expect_all_near(reference_softmax({logits.begin(), end}), likely.data(), 1e-6);
    });
  });
}

// Rows of random numbers as attention takes them: padded with zeros.
struct DrawnRows {
  DrawnRows(Random& random, std::size_t count, std::size_t width)
      : stride(round_up(width, kAttentionPad)), rows{nullptr, count, stride, stride} {
    values = Buffer<float>(count * stride + 1);
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t i = 0; i < width; ++i) values[t * stride + i] = random.uniform_within(1);
    }
    rows.data = values.data();
  }
  double at(std::size_t t, std::size_t i) const { return values[t * stride + i]; }

  std::size_t stride;
  Buffer<float> values;
  MutableRows rows;
  Rows view() const { return {rows.data, rows.count, stride, stride}; }
};

struct AttentionCase {
  AttentionCase(Random& random, std::size_t positions, std::size_t entries)
      : width(entries),
        keys(random, positions, width),
        values(random, positions, width),
        bias(random, 1, positions),
        x(random, 1 + random.below(12), width) {}

  // The output for query `t`, in double precision.
  std::vector<float> expected(std::size_t t) const {
    std::vector<double> out(width), weights;
    double total = 0;
    for (std::size_t i = 0; i < keys.rows.count; ++i) {
      double logit = bias.at(0, i);
      for (std::size_t j = 0; j < width; ++j) logit += keys.at(i, j) * x.at(t, j);
      weights.push_back(std::exp(logit));
      total += weights.back();
    }
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (std::size_t j = 0; j < width; ++j) out[j] += weights[i] / total * values.at(i, j);
    return {out.begin(), out.end()};
  }

  std::size_t width;
  DrawnRows keys, values, bias, x;
};

TEST(RandomKernels, AttentionEqualsTheReferenceOnEveryTarget) {
  for_each_case(kUsualShapes, [](std::uint64_t seed) {
    Random random(seed, 6);
    const std::size_t positions = random.below(50);
    const AttentionCase attention(random, positions, 1 + random.below(120));
    DrawnRows out(random, attention.x.rows.count, attention.width);
    on_every_target([&] {
      Buffer<float> scratch(round_up(positions, kAttentionPad) + 1);
      attention_forward(
          {attention.keys.view(), attention.bias.values.data(), attention.values.view()},
          attention.x.view(), out.rows, scratch.data());
      for (std::size_t t = 0; t < out.rows.count; ++t)
        // Logits of 120 f32 products below 1, carried through an exponential.
        expect_all_near(attention.expected(t), out.rows.row(t), 1e-5);
    });
  });
}

TEST(RandomKernels, ProjectionEqualsTheReferenceOnEveryTarget) {
  for_each_case(kUsualShapes, [](std::uint64_t seed) {
    Random random(seed, 7);
    const std::size_t outputs = 1 + random.below(120), columns = 1 + random.below(90);
    const std::size_t count = random.below(20);
    const std::vector<float> weight = draw_padded(random, outputs * columns);
    const std::vector<float> input = draw_padded(random, count * columns);
    const std::vector<float> bias(outputs + kPoolPadding, 0.25F);
    std::vector<PackRow> pack_rows;
    for (std::size_t i = 0; i < outputs; ++i) pack_rows.push_back({&weight[i * columns], 1.0F});
    on_every_target([&] {
      const PackedMatrix matrix =
          pack_matrix(pack_rows, columns, WeightType::f32, projection_lanes());
      std::vector<float> out(count * matrix.rows);
      project(matrix, bias.data(), {input.data(), count, columns, columns}, out.data(),
              matrix.rows);
      for (std::size_t r = 0; r < count; ++r) {
        const std::vector<float> expected =
            reference_linear({weight.data(), bias.data(), outputs, columns}, &input[r * columns]);
        expect_all_near(expected, &out[r * matrix.rows], sum_tolerance(columns));
      }
    });
  });
}

}  // namespace
}  // namespace skim
