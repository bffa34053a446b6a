#include "text/unicode_tokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "text/tokenizer_invariants.h"
#include "text/unicode_kind.h"

namespace skim {
namespace {

using Strings = std::vector<std::string>;

Strings unicode_words(std::string_view text) {
  std::vector<TokenSpan> spans;
  tokenize(text, TokenizerKind::unicode, spans);
  EXPECT_EQ(violated_invariant(text, spans), nullptr) << text;
  Strings words;
  for (const TokenSpan word : spans)
    words.emplace_back(text.substr(word.begin, word.end - word.begin));
  return words;
}

TEST(UnicodeTokenizer, EmptyTextAndWhiteSpaceHaveNoWords) {
  EXPECT_EQ(unicode_words(""), Strings{});
  EXPECT_EQ(unicode_words(" \t\r\n\v\f\u00A0\u3000\u2028\u0085"), Strings{});
}

TEST(UnicodeTokenizer, AgreesOnWhiteSpaceWithTheOtherTokenizers) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code)
    ASSERT_EQ(unicode_kind(code) == UnicodeKind::space, classify(code) == CharClass::space)
        << std::uint32_t{code};
}

TEST(UnicodeTokenizer, German) {
  EXPECT_EQ(unicode_words("Übergrößen-Geschäft: geht's, z.B. 1.000,50 € (Str. 5)!"),
            (Strings{"Übergrößen", "-", "Geschäft", ":", "geht's", ",", "z.B.", "1.000,50", "€",
                     "(", "Str", ".", "5", ")", "!"}));
}

TEST(UnicodeTokenizer, TurkishAndFrench) {
  EXPECT_EQ(unicode_words("İstanbul’da ılık"), (Strings{"İstanbul’da", "ılık"}));
  EXPECT_EQ(unicode_words("l'été, qu’il"), (Strings{"l'été", ",", "qu’il"}));
  EXPECT_EQ(unicode_words("col·lecció"), Strings{"col·lecció"});
}

TEST(UnicodeTokenizer, ArabicPersianAndHebrew) {
  EXPECT_EQ(unicode_words("مَرْحَبًا، كيف؟"), (Strings{"مَرْحَبًا", "،", "كيف", "؟"}));
  EXPECT_EQ(unicode_words("می\u200Cخواهم"), Strings{"می\u200Cخواهم"});
  EXPECT_EQ(unicode_words("צה\u05F4ל ו\u200F שלום"), (Strings{"צה\u05F4ל", "ו\u200F", "שלום"}));
}

TEST(UnicodeTokenizer, Hindi) {
  EXPECT_EQ(unicode_words("यह फ़िल्म बहुत अच्छी है। १,०००"),
            (Strings{"यह", "फ़िल्म", "बहुत", "अच्छी", "है", "।", "१,०००"}));
}

TEST(UnicodeTokenizer, ScriptsWithoutSpacesAreSplitIntoGraphemeClusters) {
  EXPECT_EQ(unicode_words("ดีที่กำ ๑๒"), (Strings{"ดี", "ที่", "กำ", "๑๒"}));
  EXPECT_EQ(unicode_words("ខ្មែរ"), (Strings{"ខ្", "មែ", "រ"}));
  EXPECT_EQ(unicode_words("မြန်မာ"), (Strings{"မြ", "န်", "မာ"}));
  EXPECT_EQ(unicode_words("ລາວ"), (Strings{"ລ", "າ", "ວ"}));
}

TEST(UnicodeTokenizer, ChineseAndJapanese) {
  EXPECT_EQ(unicode_words("我喜欢BTS的3首歌。"),
            (Strings{"我", "喜", "欢", "BTS", "的", "3", "首", "歌", "。"}));
  EXPECT_EQ(unicode_words("カメラはｶﾞ々"), (Strings{"カ", "メ", "ラ", "は", "ｶﾞ", "々"}));
  EXPECT_EQ(unicode_words("葛\U000E0100が か\u3099"), (Strings{"葛\U000E0100", "が", "か\u3099"}));
}

TEST(UnicodeTokenizer, HangulIsSplitAtSpaces) {
  EXPECT_EQ(unicode_words("한국어 영화가ㅋㅋ!"), (Strings{"한국어", "영화가ㅋㅋ", "!"}));
  EXPECT_EQ(unicode_words("\u1112\u1161\u11AB글"), Strings{"\u1112\u1161\u11AB글"});
}

TEST(UnicodeTokenizer, EmojiStayWhole) {
  EXPECT_EQ(unicode_words("so😂😂👍🏽👨‍👩‍👧❤️🇩🇪🇫🇷"),
            (Strings{"so", "😂", "😂", "👍🏽", "👨‍👩‍👧", "❤️", "🇩🇪", "🇫🇷"}));
  EXPECT_EQ(unicode_words("1️⃣2️⃣#️⃣🏴󠁧󠁢󠁥󠁮󠁧󠁿!"),
            (Strings{"1️⃣", "2️⃣", "#️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "!"}));
}

TEST(UnicodeTokenizer, PunctuationMarksAreWords) {
  EXPECT_EQ(unicode_words("„Ja“, (a/b)... -- 'so' !!"),
            (Strings{"„", "Ja", "“", ",", "(", "a", "/", "b", ")", "...", "--", "'", "so", "'", "!",
                     "!"}));
}

TEST(UnicodeTokenizer, NumbersAndInitialsStayWhole) {
  EXPECT_EQ(unicode_words("3.5 7:30 1990er 2:1. т.е. U.S.A x."),
            (Strings{"3.5", "7:30", "1990er", "2:1", ".", "т.е.", "U.S.A", "x", "."}));
  EXPECT_EQ(unicode_words("Ende.Dann a.b"), (Strings{"Ende", ".", "Dann", "a", ".", "b"}));
}

TEST(UnicodeTokenizer, UnderscoresJoinInsideWordsOnly) {
  EXPECT_EQ(unicode_words("a_b _c_ d__e"), (Strings{"a_b", "_", "c", "_", "d", "_", "_", "e"}));
}

TEST(UnicodeTokenizer, MentionsAndAddressesAreWordsAndTagsLoseTheirMark) {
  EXPECT_EQ(unicode_words(".@user_1: #MeToo @Müller me@mail.de"),
            (Strings{".", "@user_1", ":", "#", "MeToo", "@Müller", "me", "@", "mail", ".", "de"}));
  EXPECT_EQ(unicode_words("siehe https://t.co/aB?x=1#y, (www.zdf.de/). HTTP://x.y真"),
            (Strings{"siehe", "https://t.co/aB?x=1#y", ",", "(", "www.zdf.de/", ")", ".",
                     "HTTP://x.y", "真"}));
  EXPECT_EQ(unicode_words("http:// www. @ a://!"),
            (Strings{"http", ":", "/", "/", "www", ".", "@", "a", ":", "/", "/", "!"}));
}

TEST(UnicodeTokenizer, InvisibleCharactersJoinTheWordBeforeThem) {
  EXPECT_EQ(unicode_words("ab\u200Bcd.\u200B ไ\u200Bป Donau\u00ADdampf 😀\u200E"),
            (Strings{"ab\u200B", "cd", ".\u200B", "ไ\u200B", "ป", "Donau\u00ADdampf", "😀\u200E"}));
  EXPECT_EQ(unicode_words("\u0301a"), (Strings{"\u0301", "a"}));
}

TEST(UnicodeTokenizer, EachInvalidSequenceIsAWord) {
  EXPECT_EQ(unicode_words("a\xFF\xFE"
                          "b \xE2\x82 \xED\xA0\x80"),
            (Strings{"a", "\xFF", "\xFE", "b", "\xE2\x82", "\xED", "\xA0", "\x80"}));
}

TEST(UnicodeTokenizer, LongRepetitiveTextTakesLinearTime) {
  for (const std::string_view piece :
       {"'",      ".",     "-",      "a.",     "1,",         "@",       "_",
        "x://",   "x://!", "www.",   "\u2019", "\x80",       "\u200D",  "\u200B",
        "\u0301", "x'",    "\u0E01", "\u1161", "\U0001F1E6", "😀\u200D", "\u0600"}) {
    std::string text;
    while (text.size() < 300'000) text += piece;
    EXPECT_FALSE(unicode_words(text).empty());
  }
}

// Characters beside every kind of neighbour.
TEST(UnicodeTokenizer, InvariantsHoldForSingleCharacters) {
  for (char32_t code = 1; code <= 0x10FFFF; code += code < 0x800 ? 1 : 23) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    char bytes[4];
    const std::string one(bytes, encode_utf8(code, bytes));
    std::string text;
    for (const char* left : {"a", "1", ".", "@", "漢", "👩", "\u0301", "\u200D", "\u0600"})
      text += left + one + one + left + " ";
    ASSERT_EQ(violated_invariant(text,
                                 [&] {
                                   std::vector<TokenSpan> words;
                                   tokenize(text, TokenizerKind::unicode, words);
                                   return words;
                                 }()),
              nullptr)
        << std::hex << std::uint32_t{code};
  }
}

TEST(UnicodeVocab, LookUpFoldsCase) {
  const std::vector<std::string_view> entries = {
      "<unk>", "strasse", "istanbul", "été", "漢", "donaudampfschifffahrt", "...", "ガ"};
  const Result<Vocab> vocab = Vocab::create(entries, TokenizerKind::unicode);
  ASSERT_TRUE(vocab.has_value());
  EXPECT_EQ(vocab->find("STRAẞE"), 1U);
  EXPECT_EQ(vocab->find("İstanbul"), 2U);
  EXPECT_EQ(vocab->find("E\u0301TÉ"), 3U);
  EXPECT_EQ(vocab->find("漢\uFE00"), 4U);
  EXPECT_EQ(vocab->find("Donau\u00ADdampf\u00ADschifffahrt"), 5U);
  EXPECT_EQ(vocab->find("Donaudampfschifffahrten"), kUnknown);
  EXPECT_EQ(vocab->find("…"), 6U);
  EXPECT_EQ(vocab->find("....."), 6U);
  EXPECT_EQ(vocab->find("ｶﾞ"), 7U);
}

}  // namespace
}  // namespace skim
