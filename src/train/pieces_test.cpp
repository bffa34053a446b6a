#include "train/pieces.h"

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

TEST(Pieces, AreRunsOfWordsOfTheirText) {
  const Dataset whole = texts();
  const Dataset pieces = cut_pieces(whole, Tokenizer::english, {50, 6, 1});
  ASSERT_EQ(pieces.examples.size(), 50U);
  std::set<std::string> different;
  for (const Example& piece : pieces.examples) {
    const std::string& text = piece.query.text;
    EXPECT_NE((" " + whole.examples[0].query.text + " ").find(" " + text + " "), std::string::npos);
    const auto words = std::count(text.begin(), text.end(), ' ') + 1;
    EXPECT_GE(words, 3);
    EXPECT_LE(words, 6);
    EXPECT_EQ(piece.label, "good");
    different.insert(text);
  }
  EXPECT_GT(different.size(), 15U);
}

TEST(Pieces, DependOnTheSeedAlone) {
  const auto joined = [](std::uint64_t seed) {
    std::string all;
    for (const Example& piece : cut_pieces(texts(), Tokenizer::english, {5, 100, seed}).examples)
      all += piece.query.text + "\n";
    return all;
  };
  EXPECT_EQ(joined(1), joined(1));
  EXPECT_NE(joined(1), joined(2));
}

}  // namespace
}  // namespace skim::train
