#include "cli/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skim::cli {
namespace {

// Parses one option, given as name and value. Errors are printed.
template <class T>
std::optional<int> parse_option(const char* value, T& into) {
  Options options("test", "Tests one option.", "[options]");
  options.add("--option", into, "N", "an option");
  const std::vector<const char*> arguments = {"--option", value};
  return options.parse(arguments);
}

template <class T>
bool is_rejected(const char* value) {
  T into{};
  return parse_option(value, into) == kUsageError;
}

// They were clamped to the largest number.
TEST(Options, AWholeNumberThatDoesNotFitIsRejected) {
  EXPECT_TRUE(is_rejected<std::uint64_t>("18446744073709551616"));
  EXPECT_TRUE(is_rejected<int>("2147483648"));
  EXPECT_TRUE(is_rejected<std::vector<int>>("3,99999999999999999999"));
  std::uint64_t seed = 0;
  EXPECT_FALSE(parse_option("18446744073709551615", seed));
  EXPECT_EQ(seed, 18446744073709551615U);
}

// "010" was 8, " -1" the largest number.
TEST(Options, NumbersAreDecimalDigitsOnly) {
  for (const char* number : {"0x10", " 5", "5 ", "5x", "+5", ""}) {
    EXPECT_TRUE(is_rejected<int>(number)) << number;
    EXPECT_TRUE(is_rejected<std::uint64_t>(number)) << number;
    EXPECT_TRUE(is_rejected<double>(number)) << number;
    EXPECT_TRUE(is_rejected<std::optional<double>>(number)) << number;
  }
  EXPECT_TRUE(is_rejected<std::uint64_t>(" -1"));
  EXPECT_TRUE(is_rejected<std::uint64_t>("-1"));
  int count = 0;
  EXPECT_FALSE(parse_option("010", count));
  EXPECT_EQ(count, 10);
}

TEST(Options, NumbersBeyondADoubleAreRejected) {
  EXPECT_TRUE(is_rejected<double>("1e999"));
  EXPECT_TRUE(is_rejected<std::vector<double>>("0.5,1e999"));
}

}  // namespace
}  // namespace skim::cli
