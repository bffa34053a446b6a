#include "tasks/spans.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace skim {
namespace {

// "one", "two" and "three" with a blank between, but none after "two".
const std::vector<Word> kThreeWords = {{0, 3}, {4, 7}, {7, 12}};

TEST(WordsOver, AWholeWordIsExact) {
  EXPECT_EQ(words_over(kThreeWords, Word{4, 7}), (WordSpan{1, 1, true}));
  EXPECT_EQ(words_over(kThreeWords, Word{0, 12}), (WordSpan{0, 2, true}));
}

TEST(WordsOver, PartsOfWordsTakeTheWholeWordsAndAreNotExact) {
  EXPECT_EQ(words_over(kThreeWords, Word{1, 2}), (WordSpan{0, 0, false}));
  EXPECT_EQ(words_over(kThreeWords, Word{0, 5}), (WordSpan{0, 1, false}));
  EXPECT_EQ(words_over(kThreeWords, Word{2, 7}), (WordSpan{0, 1, false}));
}

TEST(WordsOver, BlanksAtTheEdgesAddNoWordAndAreNotExact) {
  EXPECT_EQ(words_over(kThreeWords, Word{3, 7}), (WordSpan{1, 1, false}));
  EXPECT_EQ(words_over(kThreeWords, Word{0, 4}), (WordSpan{0, 0, false}));
}

TEST(WordsOver, NothingIsOverNoWord) {
  EXPECT_FALSE(words_over(kThreeWords, Word{3, 4}));
  EXPECT_FALSE(words_over(kThreeWords, Word{5, 5}));
  EXPECT_FALSE(words_over(kThreeWords, Word{7, 4}));
  EXPECT_FALSE(words_over(kThreeWords, Word{12, 20}));
  EXPECT_FALSE(words_over({}, Word{0, 4}));
}

TEST(WordsOver, APieceBeyondTheLastWordEndsWithIt) {
  EXPECT_EQ(words_over(kThreeWords, Word{8, 99}), (WordSpan{2, 2, false}));
}

// The law that training and answering rely on: the words' extents give the piece back.
TEST(WordsOver, EveryRunOfWordsComesBackExact) {
  const std::string text = "In 1850, “Tea” wasn't cheap: £2.50 a pound (U.S. $5).";
  std::vector<Word> words;
  tokenize(text, Tokenizer::english, words);
  for (std::size_t first = 0; first < words.size(); ++first) {
    for (std::size_t last = first; last < words.size(); ++last) {
      EXPECT_EQ(words_over(words, Word{words[first].begin, words[last].end}),
                (WordSpan{first, last, true}));
    }
  }
}

TEST(WordsOver, AnswersAreFoundByTheirPlace) {
  EXPECT_EQ(words_over(kThreeWords, GoldAnswer{"three", 7}), (WordSpan{2, 2, true}));
  EXPECT_FALSE(words_over(kThreeWords, GoldAnswer{"three", std::string::npos}));
}

}  // namespace
}  // namespace skim
