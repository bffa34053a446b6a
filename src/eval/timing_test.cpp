#include "eval/timing.h"

#include <gtest/gtest.h>

#include "eval/sample_texts.h"

namespace skim {
namespace {

constexpr TimingOptions kQuick{0.05, 3};

Model wide_model() {
  ModelSpec spec = sample_spec();
  spec.reader.hidden_size = 128;
  return make_model(sample_draft(spec));
}

TEST(Timing, SkimmingAllIsFasterThanReadingAll) {
  const auto timing =
      time_against_dense(wide_model(), sample_queries(40), threshold_policy(1), kQuick);
  ASSERT_TRUE(timing) << timing.error().message;
  // Skimming does 1/3000 of the work of the big cell, which no disturbance hides.
  EXPECT_GT(timing->speedup, 1);
  EXPECT_GT(timing->reading_speedup, timing->speedup) << "tokenization cannot be skimmed";
}

TEST(Timing, TimesAndRatiosAreConsistent) {
  const auto timing = time_against_dense(wide_model(), sample_queries(40), Policy{}, kQuick);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_GT(timing->per_word, 0);
  EXPECT_GT(timing->tokenization_per_word, 0);
  EXPECT_LE(timing->per_text_p50, timing->per_text_p99);
  EXPECT_NEAR(timing->dense_per_word / timing->per_word, timing->speedup, 1e-9);
  EXPECT_EQ(timing->rounds, 3);
}

TEST(Timing, TimesAtMostTheTextsOfTheDataSet) {
  const auto timing = time_against_dense(wide_model(), sample_queries(3), Policy{}, kQuick);
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->texts, 3U);
}

TEST(Timing, AcceptsEmptyTexts) {
  const std::vector<Query> queries(5);
  const auto timing = time_against_dense(wide_model(), queries, Policy{}, kQuick);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_GT(timing->speedup, 0);
}

TEST(Timing, RejectsAnEmptyDataSet) {
  EXPECT_FALSE(time_against_dense(wide_model(), {}, Policy{}, kQuick));
}

}  // namespace
}  // namespace skim
