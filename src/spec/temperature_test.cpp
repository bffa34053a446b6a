#include "spec/temperature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace skim {
namespace {

std::vector<float> softmax_at(const std::vector<double>& logits, double temperature) {
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit / temperature);
  std::vector<float> scores;
  for (const double logit : logits)
    scores.push_back(static_cast<float>(std::exp(logit / temperature) / sum));
  return scores;
}

TEST(SharpenScores, EqualsTheSoftmaxOfScaledLogits) {
  const std::vector<double> logits = {3.5, -1, 0.25};
  for (const double temperature : {0.5, 1.75, 4.0}) {
    std::vector<float> scores = softmax_at(logits, 1);
    sharpen_scores(scores, 1 / temperature);
    const std::vector<float> expected = softmax_at(logits, temperature);
    for (std::size_t i = 0; i < scores.size(); ++i)
      EXPECT_NEAR(scores[i], expected[i], 1e-6) << temperature;  // rounding of floats
  }
}

TEST(SharpenScores, RatioOneChangesNoBit) {
  std::vector<float> scores = {0.1F, 0.2F, 0.7F};
  sharpen_scores(scores, 1);
  EXPECT_THAT(scores, testing::ElementsAre(0.1F, 0.2F, 0.7F));
}

TEST(SharpenScores, AScoreOfZeroStaysZero) {
  std::vector<float> scores = {0, 1};
  sharpen_scores(scores, 0.5);
  EXPECT_THAT(scores, testing::ElementsAre(0.0F, 1.0F));
  sharpen_scores({}, 0.5);
}

}  // namespace
}  // namespace skim
