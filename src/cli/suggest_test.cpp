#include "cli/suggest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace skim::cli {
namespace {

constexpr std::array<std::string_view, 4> kWords = {"read", "run", "verify", "--threshold"};

TEST(EditDistance, CountsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("read", "read"), 0U);
  EXPECT_EQ(edit_distance("raed", "read"), 1U);
  EXPECT_EQ(edit_distance("reads", "read"), 1U);
  EXPECT_EQ(edit_distance("", "read"), 4U);
}

TEST(Closest, FindsWhatWasMeant) {
  EXPECT_EQ(closest("raed", kWords), "read");
  EXPECT_EQ(closest("verfy", kWords), "verify");
  EXPECT_EQ(closest("--treshhold", kWords), "--threshold");
}

TEST(Closest, DoesNotGuessWildly) {
  EXPECT_FALSE(closest("banana", kWords));
  EXPECT_FALSE(closest("", kWords));
  EXPECT_FALSE(closest(std::string(100000, 'x'), kWords));
}

}  // namespace
}  // namespace skim::cli
