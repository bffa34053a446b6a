#include "kernels/attention.h"

#include "kernels/targets.h"
// Above: must come before any Highway header.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/buffer.h"

namespace skim {
namespace {

// Rows of pseudo-random numbers, padded with zeros.
struct PaddedRows {
  PaddedRows(std::size_t rows, std::size_t entries, std::uint32_t seed)
      : stride(round_up(entries, kAttentionPad)),
        width(entries),
        count(rows),
        values(rows * stride + 1) {
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t i = 0; i < width; ++i) {
        seed = seed * 1664525U + 1013904223U;
        values[t * stride + i] = static_cast<float>(seed >> 8) * 0x1p-23F - 1.0F;
      }
    }
  }
  Rows rows() const { return {values.data(), count, stride, stride}; }
  MutableRows rows() { return {values.data(), count, stride, stride}; }
  float at(std::size_t t, std::size_t i) const { return values[t * stride + i]; }

  std::size_t stride, width, count;
  Buffer<float> values;
};

// Scalar reference in double precision.
std::vector<double> reference(const PaddedRows& keys, const PaddedRows& bias,
                              const PaddedRows& values, const PaddedRows& x, std::size_t t,
                              double& max_logit) {
  std::vector<double> weights;
  double total = 0;
  for (std::size_t i = 0; i < keys.count; ++i) {
    double logit = static_cast<double>(bias.at(0, i));
    for (std::size_t j = 0; j < keys.width; ++j) {
      logit += static_cast<double>(keys.at(i, j)) * static_cast<double>(x.at(t, j));
    }
    max_logit = i == 0 ? logit : std::max(max_logit, logit);
    weights.push_back(std::exp(logit));
    total += weights.back();
  }
  std::vector<double> out(values.width);
  for (std::size_t i = 0; i < keys.count; ++i) {
    for (std::size_t j = 0; j < values.width; ++j) {
      out[j] += weights[i] / total * static_cast<double>(values.at(i, j));
    }
  }
  return out;
}

class AttentionForward : public testing::TestWithParam<std::int64_t> {
 protected:
  AttentionForward() { use(GetParam()); }
  ~AttentionForward() override { use(0); }

 private:
  static void use(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

TEST_P(AttentionForward, EqualsTheScalarReference) {
  for (const std::size_t positions : {0U, 1U, 3U, 12U, 16U, 33U}) {
    for (const std::size_t width : {1U, 7U, 16U, 100U}) {
      const PaddedRows keys(positions, width, 1), values(positions, width, 2),
          bias(1, positions, 3);
      const PaddedRows x(9, width, 4);
      PaddedRows out(9, width, 5);
      Buffer<float> scratch(round_up(positions, kAttentionPad) + 1);
      Buffer<float> max_logits(x.count);
      attention_forward({keys.rows(), bias.values.data(), values.rows()}, x.rows(), out.rows(),
                        scratch.data(), max_logits.data());
      for (std::size_t t = 0; t < x.count; ++t) {
        double max_logit = 0;
        const std::vector<double> expected = reference(keys, bias, values, x, t, max_logit);
        ASSERT_NEAR(static_cast<double>(max_logits[t]), max_logit, 1e-5);
        for (std::size_t j = 0; j < width; ++j) {
          ASSERT_NEAR(static_cast<double>(out.at(t, j)), positions == 0 ? 0 : expected[j], 2e-6)
              << positions << " positions of width " << width << ", row " << t << ", entry " << j;
        }
      }
    }
  }
}

TEST_P(AttentionForward, ADominantLogitTakesAllTheWeight) {
  const PaddedRows keys(2, 4, 1), values(2, 4, 2), x(1, 4, 4);
  PaddedRows bias(1, 2, 3), out(1, 4, 5);
  bias.values[0] = -1e30F;
  Buffer<float> scratch(kAttentionPad);
  attention_forward({keys.rows(), bias.values.data(), values.rows()}, x.rows(), out.rows(),
                    scratch.data());
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(out.at(0, j), values.at(1, j));
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, AttentionForward,
                         testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& of) { return std::string(hwy::TargetName(of.param)); });

}  // namespace
}  // namespace skim
