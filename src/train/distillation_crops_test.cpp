#include "train/distillation_crops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace skim::train {
namespace {

Dataset texts() {
  Dataset made{"texts", {}};
  const auto add = [&](const char* text) {
    Example example;
    example.query.text = text;
    example.label = "good";
    made.examples.push_back(example);
  };
  add("one two three four five six seven eight nine ten");
  add("too short");
  return made;
}

TEST(DistillationCrops, AreRunsOfWordsOfTheirText) {
  const Dataset data = texts();
  const Dataset crops = make_distillation_crops(data, TokenizerKind::english, {50, 6, 1});
  ASSERT_EQ(crops.examples.size(), 50U);
  std::set<std::string> different;
  for (const Example& crop : crops.examples) {
    const std::string& text = crop.query.text;
    EXPECT_NE((" " + data.examples[0].query.text + " ").find(" " + text + " "), std::string::npos);
    const auto words = std::count(text.begin(), text.end(), ' ') + 1;
    EXPECT_GE(words, 3);
    EXPECT_LE(words, 6);
    EXPECT_EQ(crop.label, "good");
    different.insert(text);
  }
  EXPECT_GT(different.size(), 15U);
}

TEST(DistillationCrops, DependOnTheSeedAlone) {
  const auto joined = [](std::uint64_t seed) {
    std::string all;
    for (const Example& crop :
         make_distillation_crops(texts(), TokenizerKind::english, {5, 100, seed}).examples)
      all += crop.query.text + "\n";
    return all;
  };
  EXPECT_EQ(joined(1), joined(1));
  EXPECT_NE(joined(1), joined(2));
}

}  // namespace
}  // namespace skim::train
