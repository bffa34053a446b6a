#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "text/tokenizer_invariants.h"

namespace skim {
namespace {

using Words = std::vector<std::string>;

Words cut(std::string_view text, TokenizerKind kind) {
  std::vector<TokenSpan> spans;
  tokenize(text, kind, spans);
  EXPECT_EQ(violated_invariant(text, spans), nullptr) << text;
  Words words;
  for (const TokenSpan word : spans)
    words.emplace_back(text.substr(word.begin, word.end - word.begin));
  return words;
}

Words english(std::string_view text) { return cut(text, TokenizerKind::english); }
Words at_spaces(std::string_view text) { return cut(text, TokenizerKind::whitespace); }

TEST(English, EmptyTextAndWhiteSpaceHaveNoWords) {
  EXPECT_EQ(english(""), Words{});
  EXPECT_EQ(english(" \t\r\n\v\f\u00A0\u3000\u2028\u0085"), Words{});
}

TEST(English, PunctuationMarksAreWords) {
  EXPECT_EQ(english("Well, (it) is: \"so\"!?"),
            (Words{"Well", ",", "(", "it", ")", "is", ":", "\"", "so", "\"", "!", "?"}));
  EXPECT_EQ(english("a_b@c#1%"), (Words{"a", "_", "b", "@", "c", "#", "1", "%"}));
}

TEST(English, RunsOfFullStopsAndHyphensAreOneWord) {
  EXPECT_EQ(english("so... no -- yes....--"),
            (Words{"so", "...", "no", "--", "yes", "....", "--"}));
}

TEST(English, DoubledQuotesAreOneWord) {
  EXPECT_EQ(english("``so'' ``` '''"), (Words{"``", "so", "''", "``", "`", "''", "'"}));
}

TEST(English, NegationsSplitBeforeTheN) {
  EXPECT_EQ(english("don't can't WON'T ain't."),
            (Words{"do", "n't", "ca", "n't", "WO", "N'T", "ai", "n't", "."}));
  EXPECT_EQ(english("isn’t"), (Words{"is", "n’t"}));
}

TEST(English, CliticsAreWords) {
  EXPECT_EQ(english("it's I'm we'd you're they've she'll"),
            (Words{"it", "'s", "I", "'m", "we", "'d", "you", "'re", "they", "'ve", "she", "'ll"}));
  EXPECT_EQ(english("IT'S she’ll 80's"), (Words{"IT", "'S", "she", "’ll", "80", "'s"}));
  EXPECT_EQ(english("couldn't've"), (Words{"could", "n't", "'ve"}));
}

TEST(English, TokenizedTextStaysTheSame) {
  EXPECT_EQ(english("do n't , it 's `` so '' ... U.S. Mr. 3.5"),
            (Words{"do", "n't", ",", "it", "'s", "``", "so", "''", "...", "U.S.", "Mr.", "3.5"}));
}

TEST(English, OtherApostrophesBetweenLettersDoNotSplit) {
  EXPECT_EQ(english("O'Brien O’Brien rock'n'roll d'être"),
            (Words{"O'Brien", "O’Brien", "rock'n'roll", "d'être"}));
}

TEST(English, ApostrophesAroundWordsAreQuotes) {
  EXPECT_EQ(english("'so' the dogs' tails ’em ‘so’"),
            (Words{"'", "so", "'", "the", "dogs", "'", "tails", "’", "em", "‘", "so", "’"}));
}

TEST(English, NumbersStayWhole) {
  EXPECT_EQ(english("3.5 1,000,000 7:30 1990s 3D"),
            (Words{"3.5", "1,000,000", "7:30", "1990s", "3D"}));
  EXPECT_EQ(english("in 1990, 2.Then $5.50."),
            (Words{"in", "1990", ",", "2", ".", "Then", "$", "5.50", "."}));
}

TEST(English, RatingsAreThreeWords) { EXPECT_EQ(english("10/10"), (Words{"10", "/", "10"})); }

TEST(English, HyphensSplit) {
  EXPECT_EQ(english("low-budget -5 a-"), (Words{"low", "-", "budget", "-", "5", "a", "-"}));
}

TEST(English, AbbreviationsKeepTheirFullStop) {
  EXPECT_EQ(english("Mr. Smith vs. Dr. No. MRS. X"),
            (Words{"Mr.", "Smith", "vs.", "Dr.", "No", ".", "MRS.", "X"}));
  EXPECT_EQ(english("Mr... misters."), (Words{"Mr", "...", "misters", "."}));
}

TEST(English, InitialsAreOneWord) {
  EXPECT_EQ(english("the U.S. and U.S.A, e.g. this"),
            (Words{"the", "U.S.", "and", "U.S.A", ",", "e.g.", "this"}));
}

TEST(English, SingleInitialNeedsACapitalAfterIt) {
  EXPECT_EQ(english("Samuel L. Jackson"), (Words{"Samuel", "L.", "Jackson"}));
  EXPECT_EQ(english("plan B."), (Words{"plan", "B", "."}));
  EXPECT_EQ(english("so do I. And you"), (Words{"so", "do", "I", ".", "And", "you"}));
}

TEST(English, FullStopWithoutSpaceSplits) {
  EXPECT_EQ(english("end.The next,one"), (Words{"end", ".", "The", "next", ",", "one"}));
}

TEST(English, LettersOfOtherScriptsFormWords) {
  EXPECT_EQ(english("naïve Ωμέγα Привет, мир! e\u0301te\u0301"),
            (Words{"naïve", "Ωμέγα", "Привет", ",", "мир", "!", "e\u0301te\u0301"}));
}

TEST(English, IdeographsAndKanaAreOneWordEach) {
  EXPECT_EQ(english("漢字かなカナ。abc語"),
            (Words{"漢", "字", "か", "な", "カ", "ナ", "。", "abc", "語"}));
  EXPECT_EQ(english("한국어 영화"), (Words{"한국어", "영화"}));
}

TEST(English, EmojiAndSymbolsAreWords) {
  EXPECT_EQ(english("so😀😀™€5 — “x”…"),
            (Words{"so", "😀", "😀", "™", "€", "5", "—", "“", "x", "”", "…"}));
}

TEST(English, ComposedEmojiStayWhole) {
  EXPECT_EQ(english("👍🏽👨‍👩‍👧❤️🇩🇪🇫🇷"),
            (Words{"👍🏽", "👨‍👩‍👧", "❤️", "🇩🇪", "🇫🇷"}));
}

TEST(English, EachInvalidSequenceIsAWord) {
  EXPECT_EQ(english("a\xFF\xFE"
                    "b"),
            (Words{"a", "\xFF", "\xFE", "b"}));
  EXPECT_EQ(english("\xE2\x82"), (Words{"\xE2\x82"}));
  EXPECT_EQ(english("\xED\xA0\x80"), (Words{"\xED", "\xA0", "\x80"})) << "a surrogate";
  EXPECT_EQ(english("\xC0\xAF"), (Words{"\xC0", "\xAF"})) << "an overlong form";
  EXPECT_EQ(english("\xF0\x9F\x98 x"), (Words{"\xF0\x9F\x98", "x"}));
}

TEST(English, NulIsACharacter) {
  EXPECT_EQ(english(std::string_view("a\0b", 3)), (Words{"a", std::string(1, '\0'), "b"}));
}

TEST(Whitespace, SplitsAtWhiteSpaceOnly) {
  EXPECT_EQ(at_spaces("  don't,  cut\u00A0this\u3000too \xFF\xE2\x80 "),
            (Words{"don't,", "cut", "this", "too", "\xFF\xE2\x80"}));
  EXPECT_EQ(at_spaces(" "), Words{});
}

TEST(Tokenizer, OverwritesTheResult) {
  std::vector<TokenSpan> words(7);
  tokenize("one two", TokenizerKind::english, words);
  EXPECT_EQ(words, (std::vector<TokenSpan>{{0, 3}, {4, 7}}));
}

TEST(Tokenizer, PrefixesOfATextAreTokenizedAlike) {
  const std::string text =
      "It's Mr. O'Brien's U.S.A. don’t 1,000.5... 漢 👍🏽 couldn't've--\xE2\x80";
  for (std::size_t end = 0; end <= text.size(); ++end) {
    english(std::string_view(text).substr(0, end));
    english(std::string_view(text).substr(end));
  }
}

TEST(Tokenizer, LongRepetitiveTextTakesLinearTime) {
  for (const std::string_view piece : {"'", ".", "-", "a.", "n't", "1,", "\u2019", "\x80", "\u200D",
                                       "\u0301", "x'", "``", "\U0001F1E6"}) {
    std::string text;
    while (text.size() < 300'000) text += piece;
    EXPECT_FALSE(english(text).empty());
    EXPECT_FALSE(at_spaces(text).empty());
  }
}

// Random concatenations of fragments relevant to the rules cover more of them than uniform bytes.
TEST(Tokenizer, InvariantsHoldForRandomBytes) {
  const std::vector<std::string> pieces = {
      "n",        "N't",    "'",  "’",    "s",        "re",
      ".",        "..",     "-",  ",",    "1",        "a",
      " ",        "\u00A0", "漢", "😀",    "\u200D",   "U.",
      "Mr",       "\u0301", "é",  "\xE2", "\xE2\x80", "\x80",
      "\xF0\x9F", "\xFF",   "`",  "I",    "/",        std::string(1, '\0'),
      "🇩",        "\u2028"};
  const std::vector<std::string_view> entries = {"", "n't", "'s", ".", "...", "a", "é", "\uFFFD"};
  const Result<Vocab> vocab = Vocab::create(entries, TokenizerKind::english);
  const Result<Vocab> unicode = Vocab::create(entries, TokenizerKind::unicode);
  ASSERT_TRUE(vocab.has_value() && unicode.has_value());
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto left = random() % 24; left > 0; --left) {
      text += random() % 4 == 0 ? std::string(1, static_cast<char>(random()))
                                : pieces[random() % pieces.size()];
    }
    ASSERT_EQ(violated_invariant(text, *vocab), nullptr) << "round " << round << ": " << text;
    ASSERT_EQ(violated_invariant(text, *unicode), nullptr) << "round " << round << ": " << text;
  }
}

}  // namespace
}  // namespace skim
