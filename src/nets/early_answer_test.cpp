#include "nets/early_answer.h"

#include <gtest/gtest.h>

namespace skim {
namespace {

TEST(NextCheck, IsEvery64WordsAndThenEveryQuarterMore) {
  EXPECT_EQ(next_check(0), 64U);
  EXPECT_EQ(next_check(63), 64U);
  EXPECT_EQ(next_check(64), 128U);
  EXPECT_EQ(next_check(511), 512U);
  EXPECT_EQ(next_check(512), 640U);
  EXPECT_EQ(next_check(768), 960U);
}

TEST(NextCheck, AChecksOfALongTextTakeLinearTime) {
  std::size_t words = 0, last = 0;
  for (std::size_t check = next_check(0); check < 1'000'000; check = next_check(check)) {
    EXPECT_TRUE(is_check(check));
    EXPECT_FALSE(is_check(check - 1));
    words += last = check;
  }
  EXPECT_LT(words, 6 * last);
  EXPECT_FALSE(is_check(0));
}

}  // namespace
}  // namespace skim
