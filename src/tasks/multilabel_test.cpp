#include "tasks/multilabel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim {
namespace {

using testing::Each;

using Truth = std::vector<std::vector<int>>;

// Three texts, two labels.
const Truth kTruth = {{0}, {0, 1}, {}};
const std::vector<float> kScores = {0.9F, 0.2F, 0.6F, 0.4F, 0.7F, 0.1F};
const std::vector<float> kHalf = {0.5F, 0.5F};

MultiLabelMetrics metrics(const std::vector<float>& scores, const Truth& truth,
                          const std::vector<float>& thresholds) {
  return multilabel_metrics({thresholds.size(), scores, truth}, thresholds);
}

std::vector<float> tuned(const std::vector<float>& scores, const Truth& truth, std::size_t labels) {
  return tune_label_thresholds({labels, scores, truth});
}

TEST(MultiLabelMetrics, CountPerLabelAndTogether) {
  const MultiLabelMetrics found = metrics(kScores, kTruth, kHalf);
  EXPECT_DOUBLE_EQ(found.labels[0].precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.labels[0].recall(), 1);
  EXPECT_DOUBLE_EQ(found.labels[0].f1(), 0.8);
  EXPECT_EQ(found.labels[1].f1(), 0);
  // Two right of three answers and three labels; scikit-learn gives the same.
  EXPECT_DOUBLE_EQ(found.micro_f1, 2.0 * 2 / (3 + 3));
  EXPECT_DOUBLE_EQ(found.macro_f1, 0.4);
  EXPECT_DOUBLE_EQ(found.precision_at_1, 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.subset_accuracy, 1.0 / 3);
}

TEST(MultiLabelMetrics, AScoreEqualToTheThresholdIsNotAboveIt) {
  const std::vector<float> scores = {0.5F, 0.4F};
  EXPECT_EQ(metrics(scores, {{0}}, kHalf).labels[0].answered, 0U);
}

TEST(MultiLabelMetrics, AreZeroWithoutTexts) {
  EXPECT_EQ(metrics({}, {}, kHalf).micro_f1, 0);
  EXPECT_EQ(metrics({}, {}, kHalf).subset_accuracy, 0);
}

TEST(TuneLabelThresholds, SeparatesWhatCanBeSeparated) {
  const Truth truth = {{}, {}, {0}, {}, {}, {1}};
  const std::vector<float> scores = {0.1F, 0.9F, 0.05F, 0.2F, 0.3F, 0.95F,
                                     0.2F, 0.6F, 0.1F,  0.7F, 0.1F, 0.99F};
  const std::vector<float> thresholds = tuned(scores, truth, 2);
  EXPECT_GT(thresholds[0], 0.2F);
  EXPECT_LT(thresholds[0], 0.3F);
  EXPECT_GT(thresholds[1], 0.95F);
  EXPECT_EQ(metrics(scores, truth, thresholds).micro_f1, 1);
}

TEST(TuneLabelThresholds, NeverLoseToOneThresholdForAll) {
  const std::vector<float> found = tuned(kScores, kTruth, 2);
  const double best = metrics(kScores, kTruth, found).micro_f1;
  for (float threshold = 0; threshold < 1; threshold += 0.05F)
    EXPECT_GE(best, metrics(kScores, kTruth, {threshold, threshold}).micro_f1) << threshold;
}

TEST(TuneLabelThresholds, KeepsOneHalfWithoutTexts) { EXPECT_THAT(tuned({}, {}, 3), Each(0.5F)); }

TEST(TuneLabelThresholds, DoesNotSplitEqualScores) {
  const std::vector<float> scores = {0.5F, 0.5F, 0.5F};
  const std::vector<float> thresholds = tuned(scores, {{0}, {0}, {}}, 1);
  EXPECT_LT(thresholds[0], 0.5F);
}

}  // namespace
}  // namespace skim
