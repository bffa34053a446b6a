#include "base/json_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"

namespace skim {
namespace {

template <class T>
std::string written(T value) {
  std::string out;
  append_json(out, value);
  return out;
}

TEST(AppendJson, StringsRoundTrip) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "caf\u00e9 \u672c \U0001F3AC";
  const auto back = parse_json(written<std::string_view>(all), "text");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->get<std::string>(), all);
}

TEST(AppendJson, StringsEqualToText) {
  for (const std::string text :
       {"plain", "a\"b\\c/\n\t\r\b\f\x01\x1f\x7f", "\u00e9\U0001F3AC", ""}) {
    EXPECT_EQ(written<std::string_view>(text), to_text(Json(text)));
  }
}

TEST(AppendJson, InvalidUtf8IsReplaced) {
  EXPECT_EQ(written<std::string_view>("a\xFF"), "\"a\uFFFD\"");
  EXPECT_TRUE(parse_json(written<std::string_view>("\xE2\x80 \xED\xA0\x80 \xC0\xAF \xF0"), "text"));
}

// Each byte of a truncated sequence became a replacement character of its own.
TEST(AppendJson, AnIllFormedSequenceIsReplacedOnceAsByToText) {
  EXPECT_EQ(written<std::string_view>("\xEF\xBD."), "\"\uFFFD.\"");
  for (const std::string text : {"\xE2\x80 \xF0\x9F\x8E", "\xED\xA0\x80", "\xC0\xAF\xF5",
                                 "\xEF\xEF\xBD\xEF\xBFg\xBD", "\uFFFD"}) {
    EXPECT_EQ(written<std::string_view>(text), to_text(Json(text)));
  }
}

TEST(AppendJson, NumbersHaveSixDigitsAndAPointOrAnExponent) {
  EXPECT_EQ(written(0.1234567), "0.123457");
  EXPECT_EQ(written(0.5), "0.5");
  EXPECT_EQ(written(12.0), "12.0");
  EXPECT_EQ(written(0.0), "0.0");
  EXPECT_EQ(written(1e-9), "1e-09");
  EXPECT_EQ(written(123456789.0), "1.23457e+08");
}

TEST(AppendJson, NumbersThatAreNotFiniteAreNull) {
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(AppendJson, IntegersHaveNoFraction) {
  EXPECT_EQ(written(-1), "-1");
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

}  // namespace
}  // namespace skim
