#include "base/result_macros.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace skim {
namespace {

Result<int> parse_digit(char c) {
  if (c < '0' || c > '9') return fail(Fault::format, std::string("not a digit: ") + c);
  return c - '0';
}

Result<void> check_digit(char c) {
  SKIM_RETURN_IF_ERROR(parse_digit(c));
  return {};
}

Result<int> add_digits(std::string_view digits) {
  int sum = 0;
  for (const char c : digits) {
    SKIM_ASSIGN_OR_RETURN(const int digit, parse_digit(c));
    sum += digit;
  }
  return sum;
}

// The value type of the result differs from the type that the function returns.
Result<std::string> check_then_add(std::string_view digits) {
  for (const char c : digits) SKIM_RETURN_IF_ERROR(check_digit(c));
  SKIM_ASSIGN_OR_RETURN(const int first, add_digits(digits.substr(0, 1)));
  SKIM_ASSIGN_OR_RETURN(int sum, add_digits(digits.substr(1)));
  sum += first;
  return std::to_string(sum);
}

TEST(ResultMacros, GoOnWithTheValues) { EXPECT_EQ(check_then_add("123").value(), "6"); }

TEST(ResultMacros, ReturnTheFirstErrorWithFaultAndMessage) {
  const Result<std::string> sum = check_then_add("1x3y");
  ASSERT_FALSE(sum.has_value());
  EXPECT_EQ(sum.error().fault, Fault::format);
  EXPECT_EQ(sum.error().message, "not a digit: x");
}

TEST(ResultMacros, EvaluateTheExpressionOnce) {
  int calls = 0;
  const auto count = [&]() -> Result<int> { return ++calls; };
  const auto use_both = [&]() -> Result<int> {
    SKIM_RETURN_IF_ERROR(count());
    SKIM_ASSIGN_OR_RETURN(const int second, count());
    return second;
  };
  EXPECT_EQ(use_both().value(), 2);
  EXPECT_EQ(calls, 2);
}

TEST(ResultMacros, MoveTheValueOutOfATemporary) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  const auto move = [&]() -> Result<int> {
    SKIM_ASSIGN_OR_RETURN(const std::unique_ptr<int> value, make());
    return *value;
  };
  EXPECT_EQ(move().value(), 7);
}

TEST(ResultMacros, LeaveANamedResultIntact) {
  const Result<std::string> name = std::string("a text that does not fit into a small string");
  const auto copy = [&]() -> Result<std::string> {
    SKIM_RETURN_IF_ERROR(name);
    SKIM_ASSIGN_OR_RETURN(std::string copied, name);
    return copied;
  };
  EXPECT_EQ(copy().value(), name.value());
}

TEST(ResultMacros, AssignToAnExistingObject) {
  struct Point {
    int x = 0, y = 0;
  };
  const auto parse = [](std::string_view text) -> Result<Point> {
    Point point;
    SKIM_ASSIGN_OR_RETURN(point.x, parse_digit(text[0]));
    SKIM_ASSIGN_OR_RETURN(point.y, parse_digit(text[1]));
    return point;
  };
  EXPECT_EQ(parse("47")->x, 4);
  EXPECT_EQ(parse("47")->y, 7);
  EXPECT_FALSE(parse("4y").has_value());
}

TEST(ResultMacros, AcceptCommasInTheExpression) {
  const auto lookup = [](char key) -> Result<int> {
    SKIM_ASSIGN_OR_RETURN(
        const int value,
        Result<std::map<char, int>>({{'a', 1}, {'b', 2}}).map([&](auto map) { return map[key]; }));
    return value;
  };
  EXPECT_EQ(lookup('b').value(), 2);
}

}  // namespace
}  // namespace skim
