#include "text/case_folder.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "base/utf8.h"
#include "text/tokenizer_invariants.h"

namespace skim {
namespace {

std::string folded(std::string_view word) { return normalize(word, TokenizerKind::unicode); }

std::string in_utf8(char32_t code) {
  char bytes[4];
  return {bytes, encode_utf8(code, bytes)};
}

// NFKC_Casefold by utf8proc.
std::string reference(const std::string& word) {
  utf8proc_uint8_t* result = nullptr;
  const auto length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(word.data()),
      static_cast<utf8proc_ssize_t>(word.size()), &result,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                     UTF8PROC_CASEFOLD | UTF8PROC_IGNORE));
  std::string made(reinterpret_cast<const char*>(result), static_cast<std::size_t>(length));
  std::free(result);
  return made;
}

// Whether case_folder.h documents that the word may differ from the reference.
bool is_exception(const std::string& word) {
  const std::string made = reference(word);
  if (made.empty()) return true;
  for (const char* part : {"\u0307", "\u0131", "\u2019", "\u02BC", " "})
    if (made.find(part) != std::string::npos) return true;
  return false;
}

TEST(CaseFolder, FoldsGermanSharpS) {
  EXPECT_EQ(folded("Straße"), "strasse");
  EXPECT_EQ(folded("STRASSE"), "strasse");
  EXPECT_EQ(folded("STRAẞE"), "strasse");
}

TEST(CaseFolder, BothCasesOfTurkishWordsMeet) {
  EXPECT_EQ(folded("İSTANBUL"), folded("istanbul"));
  EXPECT_EQ(folded("ISPARTA"), folded("ısparta"));
  EXPECT_EQ(folded("DİYARBAKIR"), folded("diyarbakır"));
  EXPECT_EQ(folded("I\u0307stanbul"), "istanbul") << "İ, decomposed";
  EXPECT_EQ(folded("i\u0307stanbul"), "istanbul") << "what other programs make of İ";
}

TEST(CaseFolder, FoldsFinalSigma) { EXPECT_EQ(folded("ΟΔΟΣ"), folded("οδος")); }

TEST(CaseFolder, ComposesMarksInAnyOrder) {
  EXPECT_EQ(folded("E\u0301te\u0301"), "été");
  EXPECT_EQ(folded("a\u0302\u0323"), folded("a\u0323\u0302"));
  EXPECT_EQ(folded("\u1112\u1161\u11AB"), "한");
}

TEST(CaseFolder, FoldsWidthsLigaturesAndPresentationForms) {
  EXPECT_EQ(folded("Ｗｉｄｅ１"), "wide1");
  EXPECT_EQ(folded("ｶﾞｷﾞ"), "ガギ");
  EXPECT_EQ(folded("ﬁn"), "fin");
  EXPECT_EQ(folded("\uFEE1"), "م");
  EXPECT_EQ(folded("，"), ",");
}

TEST(CaseFolder, DropsInvisibleCharacters) {
  EXPECT_EQ(folded("Donau\u00ADdampf"), "donaudampf");
  EXPECT_EQ(folded("می\u200Cخواهم"), "میخواهم");
  EXPECT_EQ(folded("❤\uFE0F"), "❤");
  EXPECT_EQ(folded("a\u200D\u0301"), "á");
}

TEST(CaseFolder, NoWordBecomesEmptyOrGetsSpaces) {
  EXPECT_EQ(folded("\u200B"), "\u200B");
  EXPECT_EQ(folded("\uFE0F\u200D"), "\uFE0F\u200D");
  EXPECT_EQ(folded("\u00A8"), "\u00A8");
  EXPECT_EQ(folded("\uFDFA"), "\uFDFA");
}

TEST(CaseFolder, FoldsApostrophes) {
  EXPECT_EQ(folded("п’ять"), "п'ять");
  EXPECT_EQ(folded("пʼять"), "п'ять");
}

TEST(CaseFolder, InvalidUtf8IsTheReplacementCharacter) {
  EXPECT_EQ(folded("A\xFFÄ\xE2\x82"), "a\uFFFDä\uFFFD");
}

TEST(CaseFolder, LongRunsOfMarksAreCut) {
  std::string word = "o", marks;
  for (int i = 0; i < 1000; ++i) marks += i % 2 == 0 ? "\u0323" : "\u0345";
  const std::string once = folded(word + marks);
  EXPECT_LE(once.size(), 4 * CaseFolder::kMaxPiece);
  EXPECT_EQ(violated_normalization(word + marks, TokenizerKind::unicode), nullptr);
}

TEST(CaseFolder, EqualsUtf8procForSingleCharacters) {
  for (char32_t code = 1; code <= 0x10FFFF; code += code < 0x3400 ? 1 : 5) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const std::string word = in_utf8(code);
    ASSERT_EQ(violated_normalization(word, TokenizerKind::unicode), nullptr)
        << std::hex << std::uint32_t{code};
    ASSERT_TRUE(is_exception(word) || folded(word) == reference(word))
        << std::hex << std::uint32_t{code};
  }
}

TEST(CaseFolder, EqualsUtf8procForRandomWords) {
  const std::vector<std::string> pieces = {
      "a",      "I",      "ß",      "İ",      "ı",      "Σ",        "é",      "\u0301",
      "\u0307", "\u0323", "\u0345", "\u0327", "ḍ",      "ΐ",        "\u200D", "\u00AD",
      "ﬀ",      "Å",      "\u1100", "\u1161", "\u11A8", "각",       "가",     "क",
      "\u093C", "\u094D", "क़",      "ｶ",      "ﾞ",      "が",       "\u3099", "漢",
      "ำ",      "\u0E48", "กํ",      "\u0F73", "ಕೊ",     "\u0CC2",   "\u0CD5", "\u1B35",
      "𝅘𝅥𝅮",    "㌀",     "ŉ",      "’",      "\xFF",   "ㄱ",       "ㅡ",     "\u0344",
      "ǖ",      "\u1FEE", "ﷺ",      "\u0340", "\u2126", "👍🏽", "\uFE0F", "\u115F"};
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    std::string word;
    for (auto left = 1 + random() % 8; left > 0; --left) word += pieces[random() % pieces.size()];
    ASSERT_EQ(violated_normalization(word, TokenizerKind::unicode), nullptr) << word;
    if (!is_utf8(word) || is_exception(word)) continue;
    ASSERT_EQ(folded(word), reference(word)) << word;
  }
}

}  // namespace
}  // namespace skim
