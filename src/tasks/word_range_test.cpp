#include "tasks/word_range.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace skim {
namespace {

// "one", "two" and "three", with a space after "one" only.
const std::vector<TokenSpan> kThreeWords = {{0, 3}, {4, 7}, {7, 12}};

TEST(FindWordRange, AWholeWordIsExact) {
  EXPECT_EQ(find_word_range(kThreeWords, TokenSpan{4, 7}), (WordRange{1, 1, true}));
  EXPECT_EQ(find_word_range(kThreeWords, TokenSpan{0, 12}), (WordRange{0, 2, true}));
}

TEST(FindWordRange, PartialWordsExtendToWholeWordsAndAreNotExact) {
  EXPECT_EQ(find_word_range(kThreeWords, TokenSpan{1, 2}), (WordRange{0, 0, false}));
  EXPECT_EQ(find_word_range(kThreeWords, TokenSpan{0, 5}), (WordRange{0, 1, false}));
  EXPECT_EQ(find_word_range(kThreeWords, TokenSpan{2, 7}), (WordRange{0, 1, false}));
}

TEST(FindWordRange, SpacesAtTheEdgesAddNoWordAndAreNotExact) {
  EXPECT_EQ(find_word_range(kThreeWords, TokenSpan{3, 7}), (WordRange{1, 1, false}));
  EXPECT_EQ(find_word_range(kThreeWords, TokenSpan{0, 4}), (WordRange{0, 0, false}));
}

TEST(FindWordRange, ReturnsNothingWithoutOverlap) {
  EXPECT_FALSE(find_word_range(kThreeWords, TokenSpan{3, 4}));
  EXPECT_FALSE(find_word_range(kThreeWords, TokenSpan{5, 5}));
  EXPECT_FALSE(find_word_range(kThreeWords, TokenSpan{7, 4}));
  EXPECT_FALSE(find_word_range(kThreeWords, TokenSpan{12, 20}));
  EXPECT_FALSE(find_word_range({}, TokenSpan{0, 4}));
}

TEST(FindWordRange, ASpanBeyondTheLastWordEndsWithIt) {
  EXPECT_EQ(find_word_range(kThreeWords, TokenSpan{8, 99}), (WordRange{2, 2, false}));
}

// Training and inference rely on this round trip from words to bytes and back.
TEST(FindWordRange, EveryRangeOfWordsRoundTrips) {
  const std::string text = "In 1850, “Tea” wasn't cheap: £2.50 a pound (U.S. $5).";
  std::vector<TokenSpan> words;
  tokenize(text, TokenizerKind::english, words);
  for (std::size_t first = 0; first < words.size(); ++first) {
    for (std::size_t last = first; last < words.size(); ++last) {
      EXPECT_EQ(find_word_range(words, TokenSpan{words[first].begin, words[last].end}),
                (WordRange{first, last, true}));
    }
  }
}

TEST(FindWordRange, FindsAnswersByTheirOffset) {
  EXPECT_EQ(find_word_range(kThreeWords, GoldAnswer{"three", 7}), (WordRange{2, 2, true}));
  EXPECT_FALSE(find_word_range(kThreeWords, GoldAnswer{"three", std::string::npos}));
}

}  // namespace
}  // namespace skim
