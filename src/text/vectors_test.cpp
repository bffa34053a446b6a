#include "text/vectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

WordVectors parsed(std::string_view text, const VectorOptions& options = {}) {
  Result<WordVectors> vectors = parse_vectors(text, "file", options);
  EXPECT_TRUE(vectors.has_value()) << vectors.error().message;
  return vectors.value_or(WordVectors{});
}

std::string refusal(std::string_view text) {
  const Result<WordVectors> vectors = parse_vectors(text, "file");
  if (vectors) return "not refused";
  EXPECT_EQ(vectors.error().fault, Fault::format);
  return vectors.error().message;
}

TEST(Vectors, AGloveFileIsAWordAndItsValuesALine) {
  const WordVectors vectors = parsed("the 0.5 -1\n, 1e-2 3\n");
  EXPECT_THAT(vectors.words, ElementsAre("the", ","));
  EXPECT_EQ(vectors.width, 2U);
  EXPECT_THAT(vectors.values, ElementsAre(0.5F, -1.0F, 0.01F, 3.0F));
}

TEST(Vectors, AWord2vecHeaderIsNoWord) {
  const WordVectors vectors = parsed("2 3\nthe 1 2 3\nof 4 5 6\n");
  EXPECT_THAT(vectors.words, ElementsAre("the", "of"));
  EXPECT_EQ(vectors.width, 3U);
}

TEST(Vectors, AFastTextLineMayEndWithASpace) {
  EXPECT_THAT(parsed("1 2\nthe 1 2 \n").values, ElementsAre(1.0F, 2.0F));
}

TEST(Vectors, LinesMayEndAsOnWindows) {
  const WordVectors vectors = parsed("1 2\r\nthe 1 2\r\n");
  EXPECT_THAT(vectors.words, ElementsAre("the"));
  EXPECT_THAT(vectors.values, ElementsAre(1.0F, 2.0F));
}

TEST(Vectors, TheLastLineMayLackItsEnd) {
  EXPECT_THAT(parsed("the 1 2\nof 3 4").words, ElementsAre("the", "of"));
}

TEST(Vectors, FieldsMayBeApartByTabs) {
  EXPECT_THAT(parsed("the\t1\t2\n").values, ElementsAre(1.0F, 2.0F));
}

TEST(Vectors, NumbersCanBeWords) {
  EXPECT_THAT(parsed("the 1 2\n1984 3 4\n").words, ElementsAre("the", "1984"));
  const WordVectors vectors = parsed("1984 3 4\nthe 1 2\n");
  EXPECT_THAT(vectors.words, ElementsAre("1984", "the"));
  EXPECT_EQ(vectors.width, 2U);
}

TEST(Vectors, WordsMayHoldSpaces) {
  const WordVectors vectors = parsed("the 1 2\n. . . 3 4\nat a@b.c 5 6\n");
  EXPECT_THAT(vectors.words, ElementsAre("the", ". . .", "at a@b.c"));
  EXPECT_THAT(vectors.values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(parsed(". . . 3 4\nthe 1 2\n").width, 2U);
}

TEST(Vectors, TheFirstOfTwoEqualWordsCounts) {
  const WordVectors vectors = parsed("the 1\nof 2\nthe 3\n");
  EXPECT_THAT(vectors.words, ElementsAre("the", "of"));
  EXPECT_THAT(vectors.values, ElementsAre(1.0F, 2.0F));
}

TEST(Vectors, OnlyWantedWordsAreTakenInTheOrderOfTheFile) {
  const std::array<std::string_view, 3> wanted = {"c", "b", "missing"};
  const WordVectors vectors = parsed("a 1 2\nb 3 4\nc 5 6\nb 7 8\n", {.wanted = wanted});
  EXPECT_THAT(vectors.words, ElementsAre("b", "c"));
  EXPECT_THAT(vectors.values, ElementsAre(3, 4, 5, 6));
}

TEST(Vectors, NoMoreWordsAreTakenThanAskedFor) {
  EXPECT_THAT(parsed("3 1\na 1\nb 2\nc 3\n", {.most = 2}).words, ElementsAre("a", "b"));
  EXPECT_EQ(parsed("a 1\n", {.most = 0}).words.size(), 0U);
}

TEST(Vectors, ValuesTooSmallForAFloatAreZero) {
  EXPECT_THAT(parsed("the 1e-60 -1e-60 1e-40\n").values,
              ElementsAre(0.0F, 0.0F, static_cast<float>(1e-40)));
}

TEST(Vectors, AWrongNumberOfValuesIsNamedByLine) {
  EXPECT_EQ(refusal("the 1 2\nof 3\nand 1 2\n"), "file:2: 'of' has 1 values instead of 2");
  EXPECT_EQ(refusal("the 1 2\nof 3 4 5\n"), "file:2: 'of' has 3 values instead of 2");
  EXPECT_EQ(refusal("1 2\nof 3 4 5\n"), "file:2: 'of' has 3 values instead of 2");
}

TEST(Vectors, ACutOffLastLineIsCalledSo) {
  EXPECT_THAT(refusal("the 1 2\nof 3"), HasSubstr("file:2: 'of' has 1 values instead of 2"));
  EXPECT_THAT(refusal("the 1 2\nof 3"), HasSubstr("cut off"));
  EXPECT_THAT(refusal("the 1 2\nof 3 -"), HasSubstr("file:2: '-' is not a number"));
}

TEST(Vectors, WhatIsNoNumberIsNamedByLine) {
  EXPECT_EQ(refusal("the 1 2\nof 3 4x\n"), "file:2: '4x' is not a number");
  EXPECT_EQ(refusal("the 1 2\nof x 4\n"), "file:2: 'x' is not a number");
  EXPECT_THAT(refusal("the 1 2x\n"), HasSubstr("file:1: "));
}

TEST(Vectors, WhatIsNotFiniteIsNamedByLine) {
  for (const std::string value : {"nan", "inf", "-inf", "1e39", "1e999"}) {
    EXPECT_EQ(refusal("the 1 2\nof 3 " + value + "\n"),
              "file:2: '" + value + "' is not a finite number");
  }
}

TEST(Vectors, AnEmptyWordOrLineIsNamedByLine) {
  EXPECT_EQ(refusal("the 1 2\n 3 4\n"), "file:2: the word is empty");
  EXPECT_EQ(refusal("the 1 2\n\nof 3 4\n"), "file:2: empty line");
}

TEST(Vectors, AFileWithoutVectorsIsRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("file: "));
  EXPECT_THAT(refusal("\n"), HasSubstr("file:1: "));
  EXPECT_THAT(refusal("the\n"), HasSubstr("file:1: "));
  EXPECT_THAT(refusal("4 0\n"), HasSubstr("file:1: "));
}

TEST(Vectors, AHeaderMustTellTheNumberOfLines) {
  EXPECT_EQ(refusal("3 1\na 1\nb 2\n"), "file: the header announces 3 words, 2 lines follow");
  EXPECT_EQ(refusal("1 1\na 1\nb 2\n"), "file: the header announces 1 words, 2 lines follow");
  EXPECT_THAT(refusal("9 9999999999999999999\n"), HasSubstr("file:"));
  EXPECT_THAT(refusal("1 999999999999999999\na 1\n"), HasSubstr("file:2: "));
}

TEST(Vectors, EveryCutOfAFileIsReadOrNamed) {
  const std::string text = "2 3\nthe 1.5 -2 3e-1\n. . 4 5 6\n";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result<WordVectors> vectors = parse_vectors(text.substr(0, size), "file");
    if (vectors) {
      EXPECT_EQ(vectors->values.size(), vectors->words.size() * vectors->width);
    } else {
      EXPECT_THAT(vectors.error().message, HasSubstr("file:"));
    }
  }
}

TEST(Vectors, AreLoadedFromFiles) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "vectors_test_are_loaded.txt";
  std::ofstream(path) << "the 1 2\nof 3\n";
  EXPECT_EQ(load_vectors(path).error().message,
            path.string() + ":2: 'of' has 1 values instead of 2");
  std::ofstream(path) << "the 1 2\nof 3 4\n";
  const Result<WordVectors> vectors = load_vectors(path);
  ASSERT_TRUE(vectors.has_value());
  EXPECT_THAT(vectors->words, ElementsAre("the", "of"));
  std::filesystem::remove(path);
  EXPECT_EQ(load_vectors(path).error().fault, Fault::io);
}

}  // namespace
}  // namespace skim
