#include "text/vocab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "text/normalize.h"

namespace skim {
namespace {

using testing::HasSubstr;

Vocab make_vocab(std::span<const std::string_view> words) {
  Result<Vocab> vocab = Vocab::create(words, TokenizerKind::english);
  EXPECT_TRUE(vocab.has_value()) << vocab.error().message;
  return vocab.value_or(Vocab{});
}

Vocab make_vocab(std::initializer_list<std::string_view> words) {
  return make_vocab(std::span(words.begin(), words.size()));
}

TEST(Vocab, FindsEveryWord) {
  std::vector<std::string> spellings = {"<unk>"};
  // Lengths around the boundaries of key representations: 8, 15 and 16 bytes.
  for (int i = 1; i < 5000; ++i) {
    spellings.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i % 40), 'x'));
  }
  const std::vector<std::string_view> words(spellings.begin(), spellings.end());
  const Vocab vocab = make_vocab(words);
  ASSERT_EQ(vocab.size(), words.size());
  for (WordId id = 1; id < vocab.size(); ++id) {
    ASSERT_EQ(vocab.find(words[id]), id);
    ASSERT_EQ(vocab.word(id), words[id]);
  }
}

TEST(Vocab, UnknownWordsHaveIdZero) {
  const Vocab vocab = make_vocab({"<unk>", "one", "onetwothreefourfive"});
  EXPECT_EQ(vocab.find("two"), kUnknown);
  EXPECT_EQ(vocab.find(""), kUnknown);
  EXPECT_EQ(vocab.find(std::string_view{}), kUnknown);
  EXPECT_EQ(vocab.find("on"), kUnknown);
  EXPECT_EQ(vocab.find("onetwothreefourfiv"), kUnknown);
  EXPECT_EQ(vocab.find("onetwothreefourfivf"), kUnknown);
}

TEST(Vocab, UnknownEntryIsNeverMatched) {
  EXPECT_EQ(make_vocab({"unk", "one"}).find("unk"), kUnknown);
  EXPECT_EQ(make_vocab({"one", "one"}).find("one"), 1U);
  EXPECT_EQ(make_vocab({"", "one"}).find(""), kUnknown);
}

TEST(Vocab, EmptyVocabularyKnowsNoWord) {
  const Vocab none;
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.find("one"), kUnknown);
  EXPECT_EQ(make_vocab({}).find("one"), kUnknown);
  EXPECT_EQ(make_vocab({"<unk>"}).find("one"), kUnknown);
  std::vector<TokenSpan> words;
  std::vector<WordId> ids;
  encode("one two", TokenizerKind::english, none, words, ids);
  EXPECT_EQ(ids, (std::vector<WordId>{kUnknown, kUnknown}));
}

TEST(Vocab, LookUpIgnoresCase) {
  const Vocab vocab =
      make_vocab({"<unk>", "the", "été", "ωμέγα", "привет", "internationalisation"});
  EXPECT_EQ(vocab.find("THE"), 1U);
  EXPECT_EQ(vocab.find("ÉTÉ"), 2U);
  EXPECT_EQ(vocab.find("ΩΜΈΓΑ"), 3U);
  EXPECT_EQ(vocab.find("ПРИВЕТ"), 4U);
  EXPECT_EQ(vocab.find("InternationaliSation"), 5U);
}

TEST(Vocab, OnlyLettersAreLowerCased) {
  const Vocab vocab = make_vocab({"<unk>", "@", "`", "[", "{", "a{"});
  EXPECT_EQ(vocab.find("@"), 1U);
  EXPECT_EQ(vocab.find("`"), 2U);
  EXPECT_EQ(vocab.find("["), 3U);
  EXPECT_EQ(vocab.find("{"), 4U);
  EXPECT_EQ(vocab.find("A{"), 5U);
}

TEST(Vocab, LowerCaseMayChangeTheLength) {
  const Vocab vocab = make_vocab({"<unk>", "istanbul", "ß", "k"});
  EXPECT_EQ(vocab.find("\u0130stanbul"), 1U);
  EXPECT_EQ(vocab.find("\u1E9E"), 2U);
  EXPECT_EQ(vocab.find("\u212A"), 3U) << "the Kelvin sign";
}

TEST(Vocab, TypographicApostropheIsAnApostrophe) {
  const Vocab vocab = make_vocab({"<unk>", "n't", "'s", "’"});
  EXPECT_EQ(vocab.find("n’t"), 1U);
  EXPECT_EQ(vocab.find("’S"), 2U);
  EXPECT_EQ(vocab.find("’"), kUnknown) << "the entry is not normalized";
}

TEST(Vocab, RunsOfFullStopsAndHyphensFallBackToTheUsualOnes) {
  const Vocab vocab = make_vocab({"<unk>", "...", "--", ".....", "."});
  EXPECT_EQ(vocab.find(".."), 1U);
  EXPECT_EQ(vocab.find("...."), 1U);
  EXPECT_EQ(vocab.find("....."), 3U);
  EXPECT_EQ(vocab.find("------------------------"), 2U);
  EXPECT_EQ(vocab.find("..,"), kUnknown);
  EXPECT_EQ(make_vocab({"<unk>", "."}).find("..."), kUnknown);
}

TEST(Vocab, InvalidBytesAreReplacementCharacters) {
  const Vocab vocab = make_vocab({"<unk>", "\uFFFD", "a\uFFFD\uFFFD"});
  EXPECT_EQ(vocab.find("\xFF"), 1U);
  EXPECT_EQ(vocab.find("\xE2\x80"), 1U);
  EXPECT_EQ(vocab.find("A\xFF\x80"), 2U);
}

TEST(Vocab, NulBytesAreSignificant) {
  const std::string_view with_nul("a\0", 2);
  const Vocab vocab = make_vocab({"<unk>", "a", with_nul});
  EXPECT_EQ(vocab.find("a"), 1U);
  EXPECT_EQ(vocab.find(with_nul), 2U);
  EXPECT_EQ(vocab.find(std::string_view("a\0\0", 3)), kUnknown);
}

TEST(Vocab, DuplicateWordIsNamedWithBothIds) {
  for (const std::string_view word : {"twice", "a word of more than fifteen bytes"}) {
    const std::vector<std::string_view> words = {"<unk>", "one", word, "two", word};
    const Result<Vocab> vocab = Vocab::create(words, TokenizerKind::english);
    ASSERT_FALSE(vocab.has_value());
    EXPECT_EQ(vocab.error().fault, Fault::format);
    EXPECT_THAT(vocab.error().message, HasSubstr("'" + std::string(word) + "'"));
    EXPECT_THAT(vocab.error().message, HasSubstr("id 2 and id 4"));
  }
}

TEST(Vocab, EmptyWordIsNamedByItsId) {
  const std::vector<std::string_view> words = {"<unk>", "one", ""};
  const Result<Vocab> vocab = Vocab::create(words, TokenizerKind::english);
  ASSERT_FALSE(vocab.has_value());
  EXPECT_THAT(vocab.error().message, HasSubstr("id 2"));
}

TEST(Encode, ReturnsWordsAndIds) {
  const Vocab vocab = make_vocab({"<unk>", "do", "n't", "read", "."});
  std::vector<TokenSpan> words(9);
  std::vector<WordId> ids(3);
  encode("Don't READ this.", TokenizerKind::english, vocab, words, ids);
  EXPECT_EQ(words, (std::vector<TokenSpan>{{0, 2}, {2, 5}, {6, 10}, {11, 15}, {15, 16}}));
  EXPECT_EQ(ids, (std::vector<WordId>{1, 2, 3, 0, 4}));
  encode("", TokenizerKind::english, vocab, words, ids);
  EXPECT_TRUE(words.empty());
  EXPECT_TRUE(ids.empty());
}

TEST(Encode, AllocatesNothingWhenTheCapacitySuffices) {
  const Vocab vocab = make_vocab({"<unk>", "a"});
  std::vector<TokenSpan> words;
  std::vector<WordId> ids;
  words.reserve(100);
  ids.reserve(100);
  const TokenSpan* const first_word = words.data();
  const WordId* const first_id = ids.data();
  std::string text;
  for (int i = 0; i < 100; ++i) text += i % 2 == 0 ? "a " : "É ";
  encode(text, TokenizerKind::english, vocab, words, ids);
  EXPECT_EQ(words.size(), 100U);
  EXPECT_EQ(words.data(), first_word);
  EXPECT_EQ(ids.data(), first_id);
}

TEST(Normalize, IsIdempotent) {
  for (char32_t code = 0; code < 0x11000; ++code)
    EXPECT_EQ(normalize(normalize(code)), normalize(code));
  const std::string once = normalize("Å\xFF\u0130\u2019X", TokenizerKind::english);
  EXPECT_EQ(once, "å\uFFFDi'x");
  EXPECT_EQ(normalize(once, TokenizerKind::english), once);
}

}  // namespace
}  // namespace skim
