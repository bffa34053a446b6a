#include "tasks/answer_score.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skim {
namespace {

std::vector<GoldAnswer> make_gold(const std::vector<std::string>& texts) {
  std::vector<GoldAnswer> gold;
  for (const std::string& text : texts) gold.push_back({text, 0});
  return gold;
}

double exact_match(const std::string& answer, const std::vector<std::string>& gold) {
  return score_answer(answer, make_gold(gold)).exact;
}

double f1_score(const std::string& answer, const std::vector<std::string>& gold) {
  return score_answer(answer, make_gold(gold)).f1;
}

TEST(NormalizeAnswer, LowercasesAndRemovesPunctuationArticlesAndExtraSpace) {
  EXPECT_EQ(normalize_answer("The  Cat,\tthe hat & an owl!"), "cat hat owl");
  EXPECT_EQ(normalize_answer(" A. "), "");
  EXPECT_EQ(normalize_answer("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"), "");
}

TEST(NormalizeAnswer, RemovesPunctuationBeforeArticles) {
  EXPECT_EQ(normalize_answer("the-end"), "theend");
  EXPECT_EQ(normalize_answer("t'h_e end"), "end");
  EXPECT_EQ(normalize_answer("U.S.A. 3.5"), "usa 35");
}

TEST(NormalizeAnswer, KeepsArticlesInsideWords) {
  EXPECT_EQ(normalize_answer("theatre banana an1 aé éa"), "theatre banana an1 aé éa");
}

TEST(NormalizeAnswer, LowercasesNonAsciiLetters) {
  EXPECT_EQ(normalize_answer("ÉCOLE Ωmega"), "école ωmega");
}

// Python's string.punctuation is ASCII: dashes and curly quotes stay, and part an article from a
// word as blanks do.
TEST(NormalizeAnswer, RemovesOnlyAsciiPunctuation) {
  EXPECT_EQ(normalize_answer("“The Raven”"), "“ raven”");
  EXPECT_EQ(normalize_answer("a–b 24–10 it’s"), "–b 24–10 it’s");
  EXPECT_EQ(normalize_answer("b–a–c"), "b– –c");
}

TEST(NormalizeAnswer, RecognizesUnicodeWhiteSpace) {
  EXPECT_EQ(normalize_answer("one\u00A0two\u3000three\x1F"
                             "four\r\n"),
            "one two three four");
  EXPECT_EQ(normalize_answer("one\u200Btwo"), "one\u200Btwo");
}

TEST(NormalizeAnswer, AcceptsInvalidUtf8) {
  EXPECT_EQ(normalize_answer("a\xFF"), "\uFFFD");
  EXPECT_EQ(normalize_answer(""), "");
}

TEST(NormalizeAnswer, IsIdempotent) {
  for (const char* text : {"The  Cat, the hat", "b–a–c", "ÉCOLE a an the", "the-the the"}) {
    const std::string normal = normalize_answer(text);
    EXPECT_EQ(normalize_answer(normal), normal);
  }
}

TEST(ScoreAnswer, EqualNormalizedTextsAreAnExactMatch) {
  EXPECT_EQ(exact_match("The Denim Jackets.", {"denim jackets"}), 1);
  EXPECT_EQ(f1_score("The Denim Jackets.", {"denim jackets"}), 1);
}

TEST(ScoreAnswer, F1IsTheHarmonicMeanOverWords) {
  // Two of three words given are right, two of four right ones are given.
  EXPECT_EQ(exact_match("green tea leaves", {"green tea from hills"}), 0);
  EXPECT_DOUBLE_EQ(f1_score("green tea leaves", {"green tea from hills"}),
                   2 * (2.0 / 3) * (2.0 / 4) / (2.0 / 3 + 2.0 / 4));
  EXPECT_EQ(f1_score("milk", {"green tea"}), 0);
}

TEST(ScoreAnswer, F1IntersectsMultisetsOfWords) {
  // Of "tea tea tea" two are shared: precision 2/3, recall 2/2.
  EXPECT_DOUBLE_EQ(f1_score("tea tea tea", {"tea tea"}), 0.8);
  EXPECT_DOUBLE_EQ(f1_score("tea", {"tea tea"}), 2.0 / 3);
}

TEST(ScoreAnswer, F1IgnoresWordOrder) {
  EXPECT_EQ(exact_match("tea green", {"green tea"}), 0);
  EXPECT_EQ(f1_score("tea green", {"green tea"}), 1);
}

TEST(ScoreAnswer, TakesTheBestGoldAnswer) {
  EXPECT_EQ(exact_match("tea", {"green tea", "tea", "milk"}), 1);
  EXPECT_DOUBLE_EQ(f1_score("green leaves", {"milk", "green tea", "black tea leaves"}), 0.5);
}

// The official script divides by nothing only because it stops at no shared word: 1 and 0.
TEST(ScoreAnswer, TwoEmptyAnswersMatchExactlyWithF1Zero) {
  EXPECT_EQ(exact_match("the", {"a !"}), 1);
  EXPECT_EQ(f1_score("the", {"a !"}), 0);
}

TEST(ScoreAnswer, AnEmptyAnswerMatchesNoOther) {
  EXPECT_EQ(exact_match("", {"tea"}), 0);
  EXPECT_EQ(f1_score("", {"tea"}), 0);
  EXPECT_EQ(exact_match("tea", {"the"}), 0);
  EXPECT_EQ(f1_score("tea", {"the"}), 0);
}

TEST(ScoreAnswer, IsZeroWithoutGoldAnswers) {
  EXPECT_EQ(exact_match("tea", {}), 0);
  EXPECT_EQ(f1_score("tea", {}), 0);
}

}  // namespace
}  // namespace skim
