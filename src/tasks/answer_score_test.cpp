#include "tasks/answer_score.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skim {
namespace {

std::vector<GoldAnswer> gold_of(const std::vector<std::string>& texts) {
  std::vector<GoldAnswer> gold;
  for (const std::string& text : texts) gold.push_back({text, 0});
  return gold;
}

double exact_of(const std::string& answer, const std::vector<std::string>& gold) {
  return score_answer(answer, gold_of(gold)).exact;
}

double f1_of(const std::string& answer, const std::vector<std::string>& gold) {
  return score_answer(answer, gold_of(gold)).f1;
}

TEST(NormalAnswer, LowersDropsPunctuationAndArticlesAndSqueezesBlanks) {
  EXPECT_EQ(normal_answer("The  Cat,\tthe hat & an owl!"), "cat hat owl");
  EXPECT_EQ(normal_answer(" A. "), "");
  EXPECT_EQ(normal_answer("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"), "");
}

TEST(NormalAnswer, PunctuationGoesBeforeArticlesDo) {
  EXPECT_EQ(normal_answer("the-end"), "theend");
  EXPECT_EQ(normal_answer("t'h_e end"), "end");
  EXPECT_EQ(normal_answer("U.S.A. 3.5"), "usa 35");
}

TEST(NormalAnswer, ArticlesInsideWordsStay) {
  EXPECT_EQ(normal_answer("theatre banana an1 aé éa"), "theatre banana an1 aé éa");
}

TEST(NormalAnswer, LowersLettersBeyondAscii) {
  EXPECT_EQ(normal_answer("ÉCOLE Ωmega"), "école ωmega");
}

// Python's string.punctuation is ASCII: dashes and curly quotes stay, and part an article from a
// word as blanks do.
TEST(NormalAnswer, OnlyAsciiPunctuationGoes) {
  EXPECT_EQ(normal_answer("“The Raven”"), "“ raven”");
  EXPECT_EQ(normal_answer("a–b 24–10 it’s"), "–b 24–10 it’s");
  EXPECT_EQ(normal_answer("b–a–c"), "b– –c");
}

TEST(NormalAnswer, BlanksAreThoseOfUnicode) {
  EXPECT_EQ(normal_answer("one\u00A0two\u3000three\x1F"
                          "four\r\n"),
            "one two three four");
  EXPECT_EQ(normal_answer("one\u200Btwo"), "one\u200Btwo");
}

TEST(NormalAnswer, BytesThatAreNoTextDoNotHurt) {
  EXPECT_EQ(normal_answer("a\xFF"), "\uFFFD");
  EXPECT_EQ(normal_answer(""), "");
}

TEST(NormalAnswer, OfItselfIsItself) {
  for (const char* text : {"The  Cat, the hat", "b–a–c", "ÉCOLE a an the", "the-the the"}) {
    const std::string normal = normal_answer(text);
    EXPECT_EQ(normal_answer(normal), normal);
  }
}

TEST(ScoreAnswer, SameNormalFormIsExactAndHasFullF1) {
  EXPECT_EQ(exact_of("The Denim Jackets.", {"denim jackets"}), 1);
  EXPECT_EQ(f1_of("The Denim Jackets.", {"denim jackets"}), 1);
}

TEST(ScoreAnswer, F1CountsSharedWords) {
  // Two of three words given are right, two of four right ones are given.
  EXPECT_EQ(exact_of("green tea leaves", {"green tea from hills"}), 0);
  EXPECT_DOUBLE_EQ(f1_of("green tea leaves", {"green tea from hills"}),
                   2 * (2.0 / 3) * (2.0 / 4) / (2.0 / 3 + 2.0 / 4));
  EXPECT_EQ(f1_of("milk", {"green tea"}), 0);
}

TEST(ScoreAnswer, ARepeatedWordCountsAsOftenAsItStandsInBoth) {
  // Of "tea tea tea" two are shared: precision 2/3, recall 2/2.
  EXPECT_DOUBLE_EQ(f1_of("tea tea tea", {"tea tea"}), 0.8);
  EXPECT_DOUBLE_EQ(f1_of("tea", {"tea tea"}), 2.0 / 3);
}

TEST(ScoreAnswer, OrderOfWordsMattersToExactAlone) {
  EXPECT_EQ(exact_of("tea green", {"green tea"}), 0);
  EXPECT_EQ(f1_of("tea green", {"green tea"}), 1);
}

TEST(ScoreAnswer, TheBestRightAnswerCounts) {
  EXPECT_EQ(exact_of("tea", {"green tea", "tea", "milk"}), 1);
  EXPECT_DOUBLE_EQ(f1_of("green leaves", {"milk", "green tea", "black tea leaves"}), 0.5);
}

// The official script divides by nothing only because it stops at no shared word: 1 and 0.
TEST(ScoreAnswer, TwoAnswersWithoutAWordAreEqualAndShareNone) {
  EXPECT_EQ(exact_of("the", {"a !"}), 1);
  EXPECT_EQ(f1_of("the", {"a !"}), 0);
}

TEST(ScoreAnswer, AnAnswerWithoutAWordMatchesNoOther) {
  EXPECT_EQ(exact_of("", {"tea"}), 0);
  EXPECT_EQ(f1_of("", {"tea"}), 0);
  EXPECT_EQ(exact_of("tea", {"the"}), 0);
  EXPECT_EQ(f1_of("tea", {"the"}), 0);
}

TEST(ScoreAnswer, WithoutRightAnswersIsZero) {
  EXPECT_EQ(exact_of("tea", {}), 0);
  EXPECT_EQ(f1_of("tea", {}), 0);
}

}  // namespace
}  // namespace skim
