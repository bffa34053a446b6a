#include "train/class_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ModelSpec spec_with(OutputActivation output) {
  ModelSpec spec;
  spec.output = output;
  spec.labels = {"a", "b", "c"};
  return spec;
}

std::vector<Item> items_with_labels(const std::vector<int>& labels) {
  std::vector<Item> items(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) items[i].label = labels[i];
  return items;
}

TEST(ClassWeights, BalancedAreThoseOfScikitLearn) {
  const auto items = items_with_labels({0, 0, 0, 1});
  const auto weights =
      parse_class_weights("balanced", spec_with(OutputActivation::softmax), items).value();
  EXPECT_THAT(weights, ElementsAre(4.0F / 9, 4.0F / 3, 1));
}

TEST(ClassWeights, BalancedWeighPositivesOfSetsOfLabels) {
  std::vector<Item> items(4);
  for (Item& item : items) item.num_labels = 3;
  items[0].labels = {0, 1};
  items[1].labels = items[2].labels = {1};
  const auto weights =
      parse_class_weights("balanced", spec_with(OutputActivation::sigmoid), items).value();
  EXPECT_THAT(weights, ElementsAre(3, 1.0F / 3, 1));
}

TEST(ClassWeights, AListNamesSomeLabels) {
  const ModelSpec spec = spec_with(OutputActivation::softmax);
  EXPECT_THAT(parse_class_weights("c=2.5,a=0", spec, {}).value(), ElementsAre(0, 1, 2.5F));
  for (const char* text : {"a", "a=x", "a=-1", "=2", "d=1", "a=1,"})
    EXPECT_FALSE(parse_class_weights(text, spec, {}).has_value()) << text;
  EXPECT_THAT(parse_class_weights("d=1", spec, {}).error().message, HasSubstr("label 'd'"));
}

TEST(ClassWeights, MultiplyTheWeightsOfTexts) {
  std::vector<Item> items = items_with_labels({0, 1});
  items[1].weight = 3;
  apply_class_weights({0.5F, 2}, items);
  EXPECT_EQ(items[0].weight, 0.5F);
  EXPECT_EQ(items[1].weight, 6);
}

}  // namespace
}  // namespace skim::train
