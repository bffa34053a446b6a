#include "tasks/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Dataset with_labels(const std::vector<std::string>& labels) {
  Dataset data{"some.tsv", {}};
  for (const std::string& label : labels) {
    data.examples.push_back({{"text", {}, {}}, label, data.examples.size() + 1});
  }
  return data;
}

const std::vector<std::string> kLabels = {"negative", "positive"};

TEST(LabelIndices, FindsLabelsByName) {
  EXPECT_THAT(label_indices(with_labels({"positive", "negative"}), kLabels).value(),
              ElementsAre(1, 0));
}

TEST(LabelIndices, NumbersIndexTheModelsList) {
  EXPECT_THAT(label_indices(with_labels({"1", "0"}), kLabels).value(), ElementsAre(1, 0));
}

TEST(LabelIndices, ANumberThatIsALabelMeansThatLabel) {
  const std::vector<std::string> stars = {"5", "1"};
  EXPECT_THAT(label_indices(with_labels({"1", "5"}), stars).value(), ElementsAre(1, 0));
}

// Labels 1 and 2 against a file of 0 and 1: 1 would be taken by its name and 0 by its place, which
// is the same.
TEST(LabelIndices, NumbersDoNotIndexAListOfNumbers) {
  const std::vector<std::string> classes = {"1", "2"};
  EXPECT_FALSE(label_indices(with_labels({"1", "0"}), classes));
}

TEST(LabelIndices, AnUnknownLabelIsNamedWithItsLine) {
  const auto indices = label_indices(with_labels({"positive", "neutral"}), kLabels);
  ASSERT_FALSE(indices);
  EXPECT_THAT(indices.error().message, HasSubstr("some.tsv: line 2"));
  EXPECT_THAT(indices.error().message, HasSubstr("'neutral'"));
  EXPECT_THAT(indices.error().message, HasSubstr("negative, positive"));
}

TEST(LabelIndices, NumbersBeyondTheListAreUnknown) {
  EXPECT_FALSE(label_indices(with_labels({"2"}), kLabels));
  EXPECT_FALSE(label_indices(with_labels({"-1"}), kLabels));
  EXPECT_FALSE(label_indices(with_labels({"1x"}), kLabels));
  EXPECT_FALSE(label_indices(with_labels({"99999999999999999999"}), kLabels));
}

TEST(LabelsOf, SortsNumbersAsNumbersAndNamesAsNames) {
  EXPECT_THAT(labels_of(with_labels({"10", "9", "10"})), ElementsAre("9", "10"));
  EXPECT_THAT(labels_of(with_labels({"10", "9", "x"})), ElementsAre("10", "9", "x"));
}

TEST(ChoiceIndices, AreThoseOfTheRightChoice) {
  Dataset data{"gaps.txt", {{{"t", "q", {"a", "b"}}, "b", 21}}};
  EXPECT_EQ(choice_indices(data).value(), std::vector<int>{1});
  data.examples[0].label = "c";
  EXPECT_EQ(choice_indices(data).error().message,
            "gaps.txt, line 21: the right answer 'c' is none of the choices");
  data.examples[0].query.choices.clear();
  EXPECT_EQ(choice_indices(data).error().message,
            "gaps.txt, line 21: has no choices, one of which is to be the answer");
}

}  // namespace
}  // namespace skim
