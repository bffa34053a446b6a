#include "text/vocab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "text/normal_form.h"

namespace skim {
namespace {

using testing::HasSubstr;

Vocab vocab_of(std::span<const std::string_view> words) {
  Result<Vocab> vocab = Vocab::create(words);
  EXPECT_TRUE(vocab.has_value()) << vocab.error().message;
  return vocab.value_or(Vocab{});
}

Vocab vocab_of(std::initializer_list<std::string_view> words) {
  return vocab_of(std::span(words.begin(), words.size()));
}

TEST(Vocab, FindsEveryWordUnderItsPlace) {
  std::vector<std::string> spellings = {"<unk>"};
  // Lengths around those at which words are stored differently: 8, 15 and 16 bytes.
  for (int i = 1; i < 5000; ++i) {
    spellings.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i % 40), 'x'));
  }
  const std::vector<std::string_view> words(spellings.begin(), spellings.end());
  const Vocab vocab = vocab_of(words);
  ASSERT_EQ(vocab.size(), words.size());
  for (WordId id = 1; id < vocab.size(); ++id) {
    ASSERT_EQ(vocab.find(words[id]), id);
    ASSERT_EQ(vocab.word(id), words[id]);
  }
}

TEST(Vocab, UnknownWordsAreZero) {
  const Vocab vocab = vocab_of({"<unk>", "one", "onetwothreefourfive"});
  EXPECT_EQ(vocab.find("two"), kUnknown);
  EXPECT_EQ(vocab.find(""), kUnknown);
  EXPECT_EQ(vocab.find(std::string_view{}), kUnknown);
  EXPECT_EQ(vocab.find("on"), kUnknown);
  EXPECT_EQ(vocab.find("onetwothreefourfiv"), kUnknown);
  EXPECT_EQ(vocab.find("onetwothreefourfivf"), kUnknown);
}

TEST(Vocab, TheUnknownEntryIsNeverMatched) {
  EXPECT_EQ(vocab_of({"unk", "one"}).find("unk"), kUnknown);
  EXPECT_EQ(vocab_of({"one", "one"}).find("one"), 1U);
  EXPECT_EQ(vocab_of({"", "one"}).find(""), kUnknown);
}

TEST(Vocab, WithoutWordsEverythingIsUnknown) {
  const Vocab none;
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.find("one"), kUnknown);
  EXPECT_EQ(vocab_of({}).find("one"), kUnknown);
  EXPECT_EQ(vocab_of({"<unk>"}).find("one"), kUnknown);
  std::vector<Word> words;
  std::vector<WordId> ids;
  encode("one two", Tokenizer::english, none, words, ids);
  EXPECT_EQ(ids, (std::vector<WordId>{kUnknown, kUnknown}));
}

TEST(Vocab, LooksUpInLowerCase) {
  const Vocab vocab = vocab_of({"<unk>", "the", "été", "ωμέγα", "привет", "internationalisation"});
  EXPECT_EQ(vocab.find("THE"), 1U);
  EXPECT_EQ(vocab.find("ÉTÉ"), 2U);
  EXPECT_EQ(vocab.find("ΩΜΈΓΑ"), 3U);
  EXPECT_EQ(vocab.find("ПРИВЕТ"), 4U);
  EXPECT_EQ(vocab.find("InternationaliSation"), 5U);
}

TEST(Vocab, OnlyLettersHaveALowerCase) {
  const Vocab vocab = vocab_of({"<unk>", "@", "`", "[", "{", "a{"});
  EXPECT_EQ(vocab.find("@"), 1U);
  EXPECT_EQ(vocab.find("`"), 2U);
  EXPECT_EQ(vocab.find("["), 3U);
  EXPECT_EQ(vocab.find("{"), 4U);
  EXPECT_EQ(vocab.find("A{"), 5U);
}

TEST(Vocab, LowerCaseMayTakeFewerOrMoreBytes) {
  const Vocab vocab = vocab_of({"<unk>", "istanbul", "ß", "k"});
  EXPECT_EQ(vocab.find("\u0130stanbul"), 1U);
  EXPECT_EQ(vocab.find("\u1E9E"), 2U);
  EXPECT_EQ(vocab.find("\u212A"), 3U) << "the Kelvin sign";
}

TEST(Vocab, TheTypographicApostropheIsAnApostrophe) {
  const Vocab vocab = vocab_of({"<unk>", "n't", "'s", "’"});
  EXPECT_EQ(vocab.find("n’t"), 1U);
  EXPECT_EQ(vocab.find("’S"), 2U);
  EXPECT_EQ(vocab.find("’"), kUnknown) << "the entry is not in the form of look-up";
}

TEST(Vocab, RunsWithoutAnEntryCountAsTheUsualOnes) {
  const Vocab vocab = vocab_of({"<unk>", "...", "--", ".....", "."});
  EXPECT_EQ(vocab.find(".."), 1U);
  EXPECT_EQ(vocab.find("...."), 1U);
  EXPECT_EQ(vocab.find("....."), 3U);
  EXPECT_EQ(vocab.find("------------------------"), 2U);
  EXPECT_EQ(vocab.find("..,"), kUnknown);
  EXPECT_EQ(vocab_of({"<unk>", "."}).find("..."), kUnknown);
}

TEST(Vocab, InvalidBytesAreReplacementCharacters) {
  const Vocab vocab = vocab_of({"<unk>", "\uFFFD", "a\uFFFD\uFFFD"});
  EXPECT_EQ(vocab.find("\xFF"), 1U);
  EXPECT_EQ(vocab.find("\xE2\x80"), 1U);
  EXPECT_EQ(vocab.find("A\xFF\x80"), 2U);
}

TEST(Vocab, NulBytesCount) {
  const std::string_view with_nul("a\0", 2);
  const Vocab vocab = vocab_of({"<unk>", "a", with_nul});
  EXPECT_EQ(vocab.find("a"), 1U);
  EXPECT_EQ(vocab.find(with_nul), 2U);
  EXPECT_EQ(vocab.find(std::string_view("a\0\0", 3)), kUnknown);
}

TEST(Vocab, ARepeatedWordIsNamedWithBothIds) {
  for (const std::string_view word : {"twice", "a word of more than fifteen bytes"}) {
    const std::vector<std::string_view> words = {"<unk>", "one", word, "two", word};
    const Result<Vocab> vocab = Vocab::create(words);
    ASSERT_FALSE(vocab.has_value());
    EXPECT_EQ(vocab.error().fault, Fault::format);
    EXPECT_THAT(vocab.error().message, HasSubstr("'" + std::string(word) + "'"));
    EXPECT_THAT(vocab.error().message, HasSubstr("id 2 and id 4"));
  }
}

TEST(Vocab, AnEmptyWordIsNamedByItsId) {
  const std::vector<std::string_view> words = {"<unk>", "one", ""};
  const Result<Vocab> vocab = Vocab::create(words);
  ASSERT_FALSE(vocab.has_value());
  EXPECT_THAT(vocab.error().message, HasSubstr("id 2"));
}

TEST(Encode, GivesWordsAndTheirIds) {
  const Vocab vocab = vocab_of({"<unk>", "do", "n't", "read", "."});
  std::vector<Word> words(9);
  std::vector<WordId> ids(3);
  encode("Don't READ this.", Tokenizer::english, vocab, words, ids);
  EXPECT_EQ(words, (std::vector<Word>{{0, 2}, {2, 5}, {6, 10}, {11, 15}, {15, 16}}));
  EXPECT_EQ(ids, (std::vector<WordId>{1, 2, 3, 0, 4}));
  encode("", Tokenizer::english, vocab, words, ids);
  EXPECT_TRUE(words.empty());
  EXPECT_TRUE(ids.empty());
}

TEST(Encode, AllocatesNothingOnceTheVectorsHaveTheCapacity) {
  const Vocab vocab = vocab_of({"<unk>", "a"});
  std::vector<Word> words;
  std::vector<WordId> ids;
  words.reserve(100);
  ids.reserve(100);
  const Word* const first_word = words.data();
  const WordId* const first_id = ids.data();
  std::string text;
  for (int i = 0; i < 100; ++i) text += i % 2 == 0 ? "a " : "É ";
  encode(text, Tokenizer::english, vocab, words, ids);
  EXPECT_EQ(words.size(), 100U);
  EXPECT_EQ(words.data(), first_word);
  EXPECT_EQ(ids.data(), first_id);
}

TEST(NormalForm, OfANormalFormIsItself) {
  for (char32_t code = 0; code < 0x11000; ++code)
    EXPECT_EQ(normal_form(normal_form(code)), normal_form(code));
  const std::string once = normal_form("Å\xFF\u0130\u2019X");
  EXPECT_EQ(once, "å\uFFFDi'x");
  EXPECT_EQ(normal_form(once), once);
}

}  // namespace
}  // namespace skim
