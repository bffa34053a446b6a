#include "tasks/label_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Labels = std::vector<std::string>;

Dataset sets_of(const std::vector<Labels>& sets) {
  Dataset data{"some.tsv", {}};
  for (const Labels& labels : sets) {
    Example example{{"text", {}, {}}, "", data.examples.size() + 1};
    example.labels = labels;
    data.examples.push_back(std::move(example));
  }
  return data;
}

Dataset labelled(const Labels& labels) {
  Dataset data{"some.tsv", {}};
  for (const std::string& label : labels)
    data.examples.push_back({{"text", {}, {}}, label, data.examples.size() + 1});
  return data;
}

TEST(SplitLabels, RemovesBlanksAndDuplicates) {
  EXPECT_THAT(split_labels("a, b,a", ",").value(), ElementsAre("a", "b"));
  EXPECT_THAT(split_labels("a;b,c", ",;").value(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_labels("a;b", ",").value(), ElementsAre("a;b"));
  EXPECT_THAT(split_labels(" ", ",").value(), IsEmpty());
}

TEST(SplitLabels, RejectsAnEmptyLabelBetweenSeparators) {
  EXPECT_THAT(split_labels("a,,b", ",").error().message, HasSubstr("'a,,b' holds an empty label"));
  EXPECT_FALSE(split_labels("a,", ","));
}

TEST(ParseNumber, AcceptsFiniteDecimals) {
  EXPECT_EQ(parse_number(" 3.5 "), 3.5);
  EXPECT_EQ(parse_number("+2"), 2);
  EXPECT_EQ(parse_number("-1e3"), -1000);
  for (const char* text : {"", "x", "3.5x", "nan", "inf", "1e999", "+-1"})
    EXPECT_FALSE(parse_number(text).has_value()) << text;
}

TEST(CollectLabelSets, SortsNamesAndIntegers) {
  EXPECT_THAT(collect_label_sets(sets_of({{"b", "a"}, {}, {"c", "a"}})),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(collect_label_sets(sets_of({{"10"}, {"9", "2"}})), ElementsAre("2", "9", "10"));
}

TEST(LabelSetIndices, AreIncreasingAndMayBeEmpty) {
  const Labels labels = {"joy", "love", "sadness"};
  EXPECT_THAT(label_set_indices(sets_of({{"sadness", "joy"}, {}}), labels).value(),
              ElementsAre(ElementsAre(0, 2), IsEmpty()));
  EXPECT_THAT(label_set_indices(sets_of({{"2", "joy", "0"}}), labels).value(),
              ElementsAre(ElementsAre(0, 2)));
}

TEST(LabelSetIndices, ReportsTheLineOfAnUnknownLabel) {
  const Labels labels = {"joy", "love"};
  const auto indices = label_set_indices(sets_of({{"joy"}, {"joy", "fear"}}), labels);
  ASSERT_FALSE(indices);
  EXPECT_THAT(indices.error().message, HasSubstr("some.tsv, line 2"));
  EXPECT_THAT(indices.error().message, HasSubstr("'fear'"));
}

TEST(LooksMultiLabel, WhenPartsOfListsRecur) {
  EXPECT_TRUE(looks_multi_label(labelled({"a", "b", "a,b", "b,a"})));
  EXPECT_FALSE(looks_multi_label(labelled({"a", "b"})));
  EXPECT_FALSE(looks_multi_label(labelled({"Smith, John", "Doe, Jane", "Roe, Ann"})));
}

}  // namespace
}  // namespace skim
