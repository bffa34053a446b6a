// Labels other than one per text: lists of labels, numbers, weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/format.h"
#include "tasks/load.h"

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Example> parsed_examples(std::string_view bytes, LabelKind kind) {
  auto data = parse_examples(bytes, "d", kind);
  EXPECT_TRUE(data) << data.error().message;
  return data ? std::move(data->examples) : std::vector<Example>{};
}

std::string parse_error(std::string_view bytes, LabelKind kind) {
  const auto data = parse_examples(bytes, "d", kind);
  return data ? "no error" : data.error().message;
}

// Two texts: "x y" with labels a and b, "z" without.
void expect_sets(std::string_view bytes) {
  SCOPED_TRACE(bytes);
  const std::vector<Example> examples = parsed_examples(bytes, LabelKind::multiple);
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].query.text, "x y");
  EXPECT_THAT(examples[0].labels, ElementsAre("a", "b"));
  EXPECT_EQ(examples[1].query.text, "z");
  EXPECT_THAT(examples[1].labels, IsEmpty());
}

TEST(ParseLabelSets, FromEveryFormat) {
  expect_sets("a,b\tx y\n\tz\n");
  expect_sets("__label__a __label__b __label__a x y\nz\n");
  expect_sets("text,labels\nx y,\"a, b\"\nz,\n");
  expect_sets("label;text\na,b;x y\n;z\n");
  expect_sets("text,label\nx y,a;b\nz,\n");
  expect_sets("{\"text\":\"x y\",\"labels\":[\"a\",\"b\"]}\n{\"labels\":[],\"text\":\"z\"}\n");
  expect_sets("{\"text\":\"x y\",\"label\":[\"a\",\"b\"]}\n{\"labels\":[],\"text\":\"z\"}\n");
}

TEST(ParseLabelSets, FromIndicatorColumns) {
  expect_sets("id,text,a,b,c\n7,x y,1,1,0\n8,z,0,0,0\n");
  EXPECT_EQ(parse_error("text,a\nx,2\n", LabelKind::multiple),
            "d: line 2: column 'a' holds '2', expected 0 or 1; name the column of labels 'labels'");
  EXPECT_THAT(parse_error("text,a\nx,1\n", LabelKind::single), HasSubstr("expected lines of"));
}

TEST(ParseLabelSets, OneJsonLabelIsASetOfOne) {
  const auto examples = parsed_examples(
      "{\"text\":\"x\",\"label\":\"a,b\"}\n{\"text\":\"x\",\"label\":3}\n", LabelKind::multiple);
  EXPECT_THAT(examples[0].labels, ElementsAre("a,b"));
  EXPECT_THAT(examples[1].labels, ElementsAre("3"));
}

TEST(ParseLabelSets, ReportsMalformedLists) {
  EXPECT_EQ(parse_error("a\tx\na,,b\tx\n", LabelKind::multiple),
            "d: line 2: the list of labels 'a,,b' holds an empty label");
  EXPECT_THAT(parse_error("{\"text\":\"x\"}\n", LabelKind::multiple),
              HasSubstr("line 1: has no \"labels\""));
  EXPECT_THAT(parse_error("{\"text\":\"x\",\"labels\":[1.5]}\n", LabelKind::multiple),
              HasSubstr("line 1: has a label that is neither a string nor an integer"));
}

TEST(ParseSingleLabels, AListIsOneLabel) {
  EXPECT_EQ(parsed_examples("a,b\tx\n", LabelKind::single)[0].label, "a,b");
}

TEST(ParseSingleLabels, NameTheTaskOfSeveralLabels) {
  EXPECT_THAT(parse_error("__label__a __label__b x\n", LabelKind::single),
              HasSubstr("--task multilabel"));
  EXPECT_THAT(parse_error("{\"text\":\"x\",\"labels\":[\"a\"]}\n", LabelKind::single),
              HasSubstr("--task multilabel"));
}

TEST(ParseNumbers, FromEveryFormat) {
  for (const char* bytes :
       {"-3.5\tx\n", "__label__-3.5 x\n", "label,text\n-3.5,x\n",
        "{\"text\":\"x\",\"label\":-3.5}\n", "{\"text\":\"x\",\"label\":\"-3.5\"}\n"}) {
    SCOPED_TRACE(bytes);
    const auto examples = parsed_examples(bytes, LabelKind::number);
    ASSERT_EQ(examples.size(), 1U);
    EXPECT_EQ(examples[0].value, -3.5);
  }
}

TEST(ParseNumbers, ReportsWhatIsNoNumber) {
  EXPECT_EQ(parse_error("1\tx\ngood\tx\n", LabelKind::number),
            "d: line 2: the label 'good' is not a finite number");
  EXPECT_EQ(parse_error("1\tx\n\tx\n", LabelKind::number), "d: line 2: the label is empty");
  EXPECT_THAT(parse_error("{\"text\":\"x\",\"label\":null}\n", LabelKind::number),
              HasSubstr("has no \"label\" that is a finite number"));
}

TEST(ParseWeights, FromJsonLinesAndCsv) {
  const auto lines =
      parsed_examples("{\"text\":\"x\",\"label\":1,\"weight\":2.5}\n{\"text\":\"x\",\"label\":1}\n",
                      LabelKind::single);
  EXPECT_EQ(lines[0].weight, 2.5F);
  EXPECT_EQ(lines[1].weight, 1);
  EXPECT_EQ(parsed_examples("weight,text,label\n0.5,x,a\n", LabelKind::single)[0].weight, 0.5F);
}

TEST(ParseWeights, RejectsWhatIsNoWeight) {
  EXPECT_EQ(parse_error("weight,text,label\n-1,x,a\n", LabelKind::single),
            "d: line 2: the weight is '-1', expected a number from 0 to 1000000");
  EXPECT_THAT(parse_error("{\"text\":\"x\",\"label\":1,\"weight\":null}\n", LabelKind::single),
              HasSubstr("line 1: the weight is 'null'"));
}

}  // namespace
}  // namespace skim
