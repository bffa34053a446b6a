#include "eval/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/sample_texts.h"
#include "eval/tally.h"

namespace skim {
namespace {

using testing::ElementsAre;

std::vector<double> fitted(std::vector<double> work) {
  std::vector<Calibration::Point> points;
  for (const double each : work) points.push_back({0, each});
  fit_isotonic(points);
  for (std::size_t i = 0; i < work.size(); ++i) work[i] = points[i].work;
  return work;
}

TEST(FitIsotonic, KeepsNonIncreasingSequences) {
  EXPECT_THAT(fitted({1, 0.5, 0.5, 0.25}), ElementsAre(1, 0.5, 0.5, 0.25));
}

TEST(FitIsotonic, ReplacesViolatorsByTheirMean) {
  EXPECT_THAT(fitted({1, 0.25, 0.75, 0.125}), ElementsAre(1, 0.5, 0.5, 0.125));
  EXPECT_THAT(fitted({0, 0.5, 1}), ElementsAre(0.5, 0.5, 0.5));
}

TEST(CalibrationThresholds, ContainTheEndsTheMiddleAndQuantiles) {
  std::vector<float> decisions = {0.4F, 0.1F, 0.3F, 0.2F};
  EXPECT_THAT(calibration_thresholds(decisions, 5), ElementsAre(0.0F, 0.2F, 0.4F, 0.5F, 1.0F));
}

TEST(CalibrationThresholds, EqualDecisionsGiveOneThreshold) {
  std::vector<float> decisions(100, 0.25F);
  EXPECT_THAT(calibration_thresholds(decisions, 33), ElementsAre(0.0F, 0.25F, 0.5F, 1.0F));
}

TEST(Calibrate, ThresholdsIncreaseAndWorkDoesNot) {
  const auto calibration = calibrate(sample_model(), sample_queries(60), "made up");
  ASSERT_TRUE(calibration) << calibration.error().message;
  const auto& points = calibration->points;
  EXPECT_EQ(calibration->data, "made up");
  ASSERT_GE(points.size(), 3U);
  EXPECT_EQ(points.front().threshold, 0);
  EXPECT_EQ(points.back().threshold, 1);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GT(points[i].threshold, points[i - 1].threshold);
    EXPECT_LE(points[i].work, points[i - 1].work);
  }
}

TEST(Calibrate, ABudgetIsKeptOnTheDataItWasMeasuredOn) {
  ModelDraft draft = sample_draft(sample_spec());
  const auto queries = sample_queries(100);
  draft.calibration = calibrate(make_model(draft), queries, "made up").value();
  const Model model = make_model(draft);
  const double low = draft.calibration.points.back().work;
  const double high = draft.calibration.points.front().work;
  Batch batch(model, 1);
  for (const double share : {0.25, 0.5, 0.75}) {
    const double budget = std::min(1.0, low + share * (high - low));
    const auto threshold = model.threshold_for(budget);
    ASSERT_TRUE(threshold) << threshold.error().message;
    const auto sums = tally(batch, queries, threshold_policy(*threshold));
    // A seventh of a made-up vocabulary flips at once, so the steps between points are coarse.
    EXPECT_NEAR(sums->work(), budget, 0.25 * (high - low));
  }
}

TEST(Calibrate, RejectsADenseReader) {
  ModelSpec spec = sample_spec();
  spec.reader.kind = ReaderKind::dense;
  spec.reader.skim_sizes.clear();
  EXPECT_FALSE(calibrate(make_model(sample_draft(spec)), sample_queries(3), "made up"));
}

TEST(Calibrate, RemovesDirectoriesFromTheDataName) {
  const auto calibration =
      calibrate(sample_model(), sample_queries(3), "/a b/c.tsv, d/e.tsv, 3 texts");
  ASSERT_TRUE(calibration);
  EXPECT_EQ(calibration->data, "c.tsv, e.tsv, 3 texts");
}

TEST(Calibrate, RejectsAnEmptyDataSet) { EXPECT_FALSE(calibrate(sample_model(), {}, "made up")); }

}  // namespace
}  // namespace skim
