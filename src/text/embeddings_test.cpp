#include "text/embeddings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PretrainedEmbeddings parsed(std::string_view text, const EmbeddingOptions& options = {}) {
  Result<PretrainedEmbeddings> embeddings = parse_embeddings(text, "file", options);
  EXPECT_TRUE(embeddings.has_value()) << embeddings.error().message;
  return embeddings.value_or(PretrainedEmbeddings{});
}

std::string parse_error(std::string_view text) {
  const Result<PretrainedEmbeddings> embeddings = parse_embeddings(text, "file");
  if (embeddings) return "(no error)";
  EXPECT_EQ(embeddings.error().fault, Fault::format);
  return embeddings.error().message;
}

TEST(Embeddings, GloveFileHasAWordAndItsValuesPerLine) {
  const PretrainedEmbeddings embeddings = parsed("the 0.5 -1\n, 1e-2 3\n");
  EXPECT_THAT(embeddings.words, ElementsAre("the", ","));
  EXPECT_EQ(embeddings.embedding_size, 2U);
  EXPECT_THAT(embeddings.values, ElementsAre(0.5F, -1.0F, 0.01F, 3.0F));
}

TEST(Embeddings, Word2vecHeaderIsNotAWord) {
  const PretrainedEmbeddings embeddings = parsed("2 3\nthe 1 2 3\nof 4 5 6\n");
  EXPECT_THAT(embeddings.words, ElementsAre("the", "of"));
  EXPECT_EQ(embeddings.embedding_size, 3U);
}

TEST(Embeddings, FastTextLineMayEndWithASpace) {
  EXPECT_THAT(parsed("1 2\nthe 1 2 \n").values, ElementsAre(1.0F, 2.0F));
}

TEST(Embeddings, LinesMayEndWithCrLf) {
  const PretrainedEmbeddings embeddings = parsed("1 2\r\nthe 1 2\r\n");
  EXPECT_THAT(embeddings.words, ElementsAre("the"));
  EXPECT_THAT(embeddings.values, ElementsAre(1.0F, 2.0F));
}

TEST(Embeddings, LastNewlineIsOptional) {
  EXPECT_THAT(parsed("the 1 2\nof 3 4").words, ElementsAre("the", "of"));
}

TEST(Embeddings, FieldsMayBeSeparatedByTabs) {
  EXPECT_THAT(parsed("the\t1\t2\n").values, ElementsAre(1.0F, 2.0F));
}

TEST(Embeddings, NumbersCanBeWords) {
  EXPECT_THAT(parsed("the 1 2\n1984 3 4\n").words, ElementsAre("the", "1984"));
  const PretrainedEmbeddings embeddings = parsed("1984 3 4\nthe 1 2\n");
  EXPECT_THAT(embeddings.words, ElementsAre("1984", "the"));
  EXPECT_EQ(embeddings.embedding_size, 2U);
}

TEST(Embeddings, WordsMayContainSpaces) {
  const PretrainedEmbeddings embeddings = parsed("the 1 2\n. . . 3 4\nat a@b.c 5 6\n");
  EXPECT_THAT(embeddings.words, ElementsAre("the", ". . .", "at a@b.c"));
  EXPECT_THAT(embeddings.values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(parsed(". . . 3 4\nthe 1 2\n").embedding_size, 2U);
}

TEST(Embeddings, FirstOfDuplicateWordsCounts) {
  const PretrainedEmbeddings embeddings = parsed("the 1\nof 2\nthe 3\n");
  EXPECT_THAT(embeddings.words, ElementsAre("the", "of"));
  EXPECT_THAT(embeddings.values, ElementsAre(1.0F, 2.0F));
}

TEST(Embeddings, LoadsOnlyWantedWordsInTheOrderOfTheFile) {
  const std::array<std::string_view, 3> wanted = {"c", "b", "missing"};
  const PretrainedEmbeddings embeddings =
      parsed("a 1 2\nb 3 4\nc 5 6\nb 7 8\n", {.wanted = wanted});
  EXPECT_THAT(embeddings.words, ElementsAre("b", "c"));
  EXPECT_THAT(embeddings.values, ElementsAre(3, 4, 5, 6));
}

TEST(Embeddings, LoadsAtMostMaxWords) {
  EXPECT_THAT(parsed("3 1\na 1\nb 2\nc 3\n", {.max_words = 2}).words, ElementsAre("a", "b"));
  EXPECT_EQ(parsed("a 1\n", {.max_words = 0}).words.size(), 0U);
}

TEST(Embeddings, UnderflowIsZero) {
  EXPECT_THAT(parsed("the 1e-60 -1e-60 1e-40\n").values,
              ElementsAre(0.0F, 0.0F, static_cast<float>(1e-40)));
}

TEST(Embeddings, WrongNumberOfValuesNamesTheLine) {
  EXPECT_EQ(parse_error("the 1 2\nof 3\nand 1 2\n"), "file:2: 'of' has 1 values, expected 2");
  EXPECT_EQ(parse_error("the 1 2\nof 3 4 5\n"), "file:2: 'of' has 3 values, expected 2");
  EXPECT_EQ(parse_error("1 2\nof 3 4 5\n"), "file:2: 'of' has 3 values, expected 2");
}

TEST(Embeddings, TruncatedLastLineIsReported) {
  EXPECT_THAT(parse_error("the 1 2\nof 3"), HasSubstr("file:2: 'of' has 1 values, expected 2"));
  EXPECT_THAT(parse_error("the 1 2\nof 3"), HasSubstr("truncated"));
  EXPECT_THAT(parse_error("the 1 2\nof 3 -"), HasSubstr("file:2: '-' is not a number"));
}

TEST(Embeddings, InvalidNumberNamesTheLine) {
  EXPECT_EQ(parse_error("the 1 2\nof 3 4x\n"), "file:2: '4x' is not a number");
  EXPECT_EQ(parse_error("the 1 2\nof x 4\n"), "file:2: 'x' is not a number");
  EXPECT_THAT(parse_error("the 1 2x\n"), HasSubstr("file:1: "));
}

TEST(Embeddings, NonFiniteNumberNamesTheLine) {
  for (const std::string value : {"nan", "inf", "-inf", "1e39", "1e999"}) {
    EXPECT_EQ(parse_error("the 1 2\nof 3 " + value + "\n"),
              "file:2: '" + value + "' is not a finite number");
  }
}

TEST(Embeddings, EmptyWordOrLineNamesTheLine) {
  EXPECT_EQ(parse_error("the 1 2\n 3 4\n"), "file:2: the word is empty");
  EXPECT_EQ(parse_error("the 1 2\n\nof 3 4\n"), "file:2: empty line");
}

TEST(Embeddings, FileWithoutEmbeddingsIsAnError) {
  EXPECT_THAT(parse_error(""), HasSubstr("file: "));
  EXPECT_THAT(parse_error("\n"), HasSubstr("file:1: "));
  EXPECT_THAT(parse_error("the\n"), HasSubstr("file:1: "));
  EXPECT_THAT(parse_error("4 0\n"), HasSubstr("file:1: "));
}

TEST(Embeddings, HeaderMustMatchTheNumberOfLines) {
  EXPECT_EQ(parse_error("3 1\na 1\nb 2\n"), "file: the header announces 3 words, 2 lines follow");
  EXPECT_EQ(parse_error("1 1\na 1\nb 2\n"), "file: the header announces 1 words, 2 lines follow");
  EXPECT_THAT(parse_error("9 9999999999999999999\n"), HasSubstr("file:"));
  EXPECT_THAT(parse_error("1 999999999999999999\na 1\n"), HasSubstr("file:2: "));
}

TEST(Embeddings, EveryPrefixOfAFileIsParsedOrAnError) {
  const std::string text = "2 3\nthe 1.5 -2 3e-1\n. . 4 5 6\n";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result<PretrainedEmbeddings> embeddings = parse_embeddings(text.substr(0, size), "file");
    if (embeddings) {
      EXPECT_EQ(embeddings->values.size(), embeddings->words.size() * embeddings->embedding_size);
    } else {
      EXPECT_THAT(embeddings.error().message, HasSubstr("file:"));
    }
  }
}

TEST(Embeddings, LoadsFiles) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "embeddings_test.txt";
  std::ofstream(path) << "the 1 2\nof 3\n";
  EXPECT_EQ(load_embeddings(path).error().message,
            path.string() + ":2: 'of' has 1 values, expected 2");
  std::ofstream(path) << "the 1 2\nof 3 4\n";
  const Result<PretrainedEmbeddings> embeddings = load_embeddings(path);
  ASSERT_TRUE(embeddings.has_value());
  EXPECT_THAT(embeddings->words, ElementsAre("the", "of"));
  std::filesystem::remove(path);
  EXPECT_EQ(load_embeddings(path).error().fault, Fault::io);
}

}  // namespace
}  // namespace skim
