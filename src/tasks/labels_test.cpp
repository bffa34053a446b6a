#include "tasks/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Dataset make_dataset(const std::vector<std::string>& labels) {
  Dataset data{"some.tsv", {}};
  for (const std::string& label : labels) {
    data.examples.push_back({{"text", {}, {}}, label, data.examples.size() + 1});
  }
  return data;
}

const std::vector<std::string> kLabels = {"negative", "positive"};

TEST(LabelIndices, FindsLabelsByName) {
  EXPECT_THAT(label_indices(make_dataset({"positive", "negative"}), kLabels).value(),
              ElementsAre(1, 0));
}

TEST(LabelIndices, IntegersIndexTheModelsLabels) {
  EXPECT_THAT(label_indices(make_dataset({"1", "0"}), kLabels).value(), ElementsAre(1, 0));
}

TEST(LabelIndices, AnIntegerThatIsALabelMeansThatLabel) {
  const std::vector<std::string> stars = {"5", "1"};
  EXPECT_THAT(label_indices(make_dataset({"1", "5"}), stars).value(), ElementsAre(1, 0));
}

// Labels 1 and 2 with a file of 0 and 1: label 1 by name and index 0 would be the same class.
TEST(LabelIndices, IntegersDoNotIndexAListOfIntegers) {
  const std::vector<std::string> classes = {"1", "2"};
  EXPECT_FALSE(label_indices(make_dataset({"1", "0"}), classes));
}

TEST(LabelIndices, ReportsTheLineOfAnUnknownLabel) {
  const auto indices = label_indices(make_dataset({"positive", "neutral"}), kLabels);
  ASSERT_FALSE(indices);
  EXPECT_THAT(indices.error().message, HasSubstr("some.tsv, line 2"));
  EXPECT_THAT(indices.error().message, HasSubstr("'neutral'"));
  EXPECT_THAT(indices.error().message, HasSubstr("negative, positive"));
}

TEST(LabelIndices, RejectsIndicesOutOfRange) {
  EXPECT_FALSE(label_indices(make_dataset({"2"}), kLabels));
  EXPECT_FALSE(label_indices(make_dataset({"-1"}), kLabels));
  EXPECT_FALSE(label_indices(make_dataset({"1x"}), kLabels));
  EXPECT_FALSE(label_indices(make_dataset({"99999999999999999999"}), kLabels));
}

TEST(CollectLabels, SortsIntegersNumericallyAndNamesAlphabetically) {
  EXPECT_THAT(collect_labels(make_dataset({"10", "9", "10"})), ElementsAre("9", "10"));
  EXPECT_THAT(collect_labels(make_dataset({"10", "9", "x"})), ElementsAre("10", "9", "x"));
}

TEST(ChoiceIndices, FindTheCorrectChoice) {
  Dataset data{"cloze.txt", {{{"t", "q", {"a", "b"}}, "b", 21}}};
  EXPECT_EQ(choice_indices(data).value(), std::vector<int>{1});
  data.examples[0].label = "c";
  EXPECT_EQ(choice_indices(data).error().message,
            "cloze.txt, line 21: the answer 'c' is not among the choices");
  data.examples[0].query.choices.clear();
  EXPECT_EQ(choice_indices(data).error().message, "cloze.txt, line 21: has no choices");
}

}  // namespace
}  // namespace skim
