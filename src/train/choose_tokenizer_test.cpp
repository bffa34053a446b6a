#include "train/choose_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim::train {
namespace {

using testing::HasSubstr;

TokenizerChoice choice_for(const std::vector<std::string>& texts) {
  std::vector<Example> examples;
  for (const std::string& text : texts) examples.emplace_back().query.text = text;
  return choose_tokenizer(examples);
}

TEST(ChooseTokenizer, EnglishForRawAndTokenizedEnglish) {
  EXPECT_EQ(choice_for({"I didn’t like the end of this café scene.", "Worth it!"}).kind,
            TokenizerKind::english);
  const TokenizerChoice tokenized =
      choice_for({"the plot is thin , but it does n't matter to fans of the book ."});
  EXPECT_EQ(tokenized.kind, TokenizerKind::english);
  EXPECT_EQ(tokenized.reason, "50 % of the words are common English words");
}

TEST(ChooseTokenizer, EnglishForHeadlines) {
  EXPECT_EQ(choice_for({"Oil prices climb to a record as supply fears return",
                        "Court clears the way for merger of two rail companies"})
                .kind,
            TokenizerKind::english);
}

TEST(ChooseTokenizer, UnicodeForOtherLanguages) {
  for (const char* text :
       {"Das war in der Stadt so nicht zu sehen, was uns an dem Tag gefallen hat.",
        "De man is in het huis en we hebben over het weer gesproken, dat was mooi.",
        "Saya tidak tahu apakah film ini bagus atau tidak, tapi aktornya hebat.",
        "Le film est beau, mais on a vu mieux et la fin est un peu longue.",
        "Bu filmi izledim ve cok sevdim, herkese tavsiye ederim.", "xyz 123"})
    EXPECT_EQ(choice_for({text}).kind, TokenizerKind::unicode) << text;
}

TEST(ChooseTokenizer, UnicodeForOtherScripts) {
  EXPECT_THAT(choice_for({"这本书很好，我非常喜欢。the of"}).reason, HasSubstr("without spaces"));
  EXPECT_THAT(choice_for({"ภาพยนตร์เรื่องนี้ดีมาก"}).reason, HasSubstr("without spaces"));
  EXPECT_THAT(choice_for({"이 영화는 정말 재미있어요."}).reason, HasSubstr("not ASCII"));
  const TokenizerChoice mixed = choice_for({"यह फिल्म is not the best, but it is good to watch"});
  EXPECT_EQ(mixed.kind, TokenizerKind::unicode);
  EXPECT_THAT(mixed.reason, HasSubstr("of the letters are not ASCII"));
}

TEST(ChooseTokenizer, SamplesLargeDataEvenly) {
  std::vector<std::string> texts(5000, "Das war nicht so gut wie letztes Jahr.");
  for (std::size_t i = 0; i < 100; ++i)
    texts[i] = "This is the first of the texts, and it is long.";
  EXPECT_EQ(choice_for(texts).kind, TokenizerKind::unicode);
}

TEST(ChooseTokenizer, AcceptsTextsWithoutWordsAndInvalidUtf8) {
  EXPECT_EQ(choice_for({}).kind, TokenizerKind::unicode);
  EXPECT_EQ(choice_for({"", "...", std::string(5000, '\x80')}).kind, TokenizerKind::unicode);
  EXPECT_EQ(choice_for({}).reason, "0 % of the words are common English words");
}

}  // namespace
}  // namespace skim::train
