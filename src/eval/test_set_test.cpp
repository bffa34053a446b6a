#include "eval/test_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/sample_texts.h"

namespace skim {
namespace {

using testing::ElementsAre;

TEST(EvenlySpacedIndices, CoverTheWholeRange) {
  EXPECT_THAT(evenly_spaced_indices(10, 5), ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(evenly_spaced_indices(3, 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(evenly_spaced_indices(0, 5), ElementsAre());
}

TEST(Subsample, KeepsTheNameAndTheRequestedNumber) {
  const Dataset some = subsample(sample_data(10), 4);
  EXPECT_EQ(some.name, "made up");
  ASSERT_EQ(some.examples.size(), 4U);
  EXPECT_EQ(some.examples[1].line, 3U);
}

TEST(MakeTestSet, UsesTheModelsLabelIndices) {
  const auto set = make_test_set(sample_data(3), sample_spec());
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_THAT(set->truth, ElementsAre(1, 0, 1));
  EXPECT_EQ(set->queries.size(), 3U);
}

TEST(MakeTestSet, RejectsAnUnknownLabel) {
  Dataset data = sample_data(2);
  data.examples[1].label = "odd";
  EXPECT_FALSE(make_test_set(std::move(data), sample_spec()));
}

}  // namespace
}  // namespace skim
