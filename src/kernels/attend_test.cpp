#include "kernels/attend.h"

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

// Rows of made-up numbers, the padding zero.
struct PaddedRows {
  PaddedRows(std::size_t rows, std::size_t entries, std::uint32_t seed)
      : stride(round_up(entries, kAttendPad)),
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

// The same in the plainest way.
std::vector<double> reference(const PaddedRows& keys, const PaddedRows& bias,
                              const PaddedRows& values, const PaddedRows& x, std::size_t t,
                              double& most) {
  std::vector<double> shares;
  double total = 0;
  for (std::size_t i = 0; i < keys.count; ++i) {
    double score = static_cast<double>(bias.at(0, i));
    for (std::size_t j = 0; j < keys.width; ++j) {
      score += static_cast<double>(keys.at(i, j)) * static_cast<double>(x.at(t, j));
    }
    most = i == 0 ? score : std::max(most, score);
    shares.push_back(std::exp(score));
    total += shares.back();
  }
  std::vector<double> out(values.width);
  for (std::size_t i = 0; i < keys.count; ++i) {
    for (std::size_t j = 0; j < values.width; ++j) {
      out[j] += shares[i] / total * static_cast<double>(values.at(i, j));
    }
  }
  return out;
}

class Attend : public testing::TestWithParam<std::int64_t> {
 protected:
  Attend() { use(GetParam()); }
  ~Attend() override { use(0); }

 private:
  static void use(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

TEST_P(Attend, TakesOfTheQuestionWhatMatters) {
  for (const std::size_t words : {0U, 1U, 3U, 12U, 16U, 33U}) {
    for (const std::size_t width : {1U, 7U, 16U, 100U}) {
      const PaddedRows keys(words, width, 1), values(words, width, 2), bias(1, words, 3);
      const PaddedRows x(9, width, 4);
      PaddedRows out(9, width, 5);
      Buffer<float> work(round_up(words, kAttendPad) + 1);
      Buffer<float> largest(x.count);
      attend({keys.rows(), bias.values.data(), values.rows()}, x.rows(), out.rows(), work.data(),
             largest.data());
      for (std::size_t t = 0; t < x.count; ++t) {
        double most = 0;
        const std::vector<double> wanted = reference(keys, bias, values, x, t, most);
        ASSERT_NEAR(static_cast<double>(largest[t]), most, 1e-5);
        for (std::size_t j = 0; j < width; ++j) {
          ASSERT_NEAR(static_cast<double>(out.at(t, j)), words == 0 ? 0 : wanted[j], 2e-6)
              << words << " words of width " << width << ", row " << t << ", entry " << j;
        }
      }
    }
  }
}

TEST_P(Attend, OneWordMayMatterAlone) {
  const PaddedRows keys(2, 4, 1), values(2, 4, 2), x(1, 4, 4);
  PaddedRows bias(1, 2, 3), out(1, 4, 5);
  bias.values[0] = -1e30F;
  Buffer<float> work(kAttendPad);
  attend({keys.rows(), bias.values.data(), values.rows()}, x.rows(), out.rows(), work.data());
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(out.at(0, j), values.at(1, j));
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Attend,
                         testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& of) { return std::string(hwy::TargetName(of.param)); });

}  // namespace
}  // namespace skim
