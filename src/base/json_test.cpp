#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace skim {
namespace {

using ::testing::HasSubstr;

std::string parse_error(std::string_view text) {
  const auto parsed = parse_json(text, "x.json");
  return parsed ? "(no error)" : parsed.error().message;
}

TEST(ParseJson, KeepsFieldsInOrderAndNumbersExact) {
  const std::string text =
      R"({"z":1,"a":[true,null,-5,18446744073709551615,0.10000000149011612],"m":{"k":"v"}})";
  const auto json = parse_json(text, "x");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(to_text(*json), text);
}

TEST(ParseJson, NamesSourceAndBytePosition) {
  EXPECT_THAT(parse_error("{\"a\": ?}"), HasSubstr("x.json: not valid JSON at byte 6"));
  EXPECT_THAT(parse_error("[1, 2"), HasSubstr("at byte 5"));
  EXPECT_THAT(parse_error(""), HasSubstr("not valid JSON"));
}

TEST(ParseJson, ReasonsAreShortPhrases) {
  EXPECT_EQ(parse_error("[tru]"), "x.json: not valid JSON at byte 4: invalid literal");
  EXPECT_EQ(parse_error("[1 2]"),
            "x.json: not valid JSON at byte 3: unexpected number literal; expected ']'");
  EXPECT_EQ(parse_error("\"abc"),
            "x.json: not valid JSON at byte 4: invalid string: missing closing quote");
  EXPECT_EQ(parse_error("1e999"), "x.json: not valid JSON at byte 4: number overflow");
}

TEST(ParseJson, RejectsDataAfterTheDocument) {
  EXPECT_THAT(parse_error("{} x"), HasSubstr("at byte 3"));
  EXPECT_THAT(parse_error(std::string_view("{}\0", 3)), HasSubstr("zero byte"));
  EXPECT_TRUE(parse_json("{}   ", "x"));
}

TEST(ParseJson, RejectsInvalidUtf8AndHugeNumbers) {
  EXPECT_THAT(parse_error("\"\xff\""), HasSubstr("x.json"));
  EXPECT_THAT(parse_error("1e999"), HasSubstr("x.json"));
}

TEST(ParseJson, RejectsDuplicateFieldsInSmallAndLargeObjects) {
  EXPECT_THAT(parse_error(R"({"a":{"b":1,"b":2}})"),
              HasSubstr("at byte 18: field 'b' is duplicated"));
  std::string large = "{";
  for (int i = 0; i < 1000; ++i) large += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_THAT(parse_error(large + "\"k500\":1}"), HasSubstr("'k500' is duplicated"));
  EXPECT_TRUE(parse_json(large + "\"k1000\":1}", "x"));
}

TEST(ParseJson, StopsAtTheDepthLimit) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(kMaxJsonDepth), "x"));
  EXPECT_THAT(parse_error(nested(kMaxJsonDepth + 1)),
              HasSubstr("at byte 64: nested deeper than 64 levels"));
  EXPECT_THAT(parse_error(std::string(1000000, '[')), HasSubstr("nested deeper than 64"));
}

TEST(ParseJson, ErrorsAreShortForAnyInput) {
  EXPECT_LT(parse_error("\"" + std::string(1000000, 'a')).size(), 300U);
  EXPECT_LT(parse_error("{\"" + std::string(1000000, 'a') + "\":1,}").size(), 300U);
}

TEST(ParseJson, ReadsEveryEscape) {
  const auto json = parse_json(R"("\"\\\/\b\f\n\r\t\u00e9\u672C\ud83c\udfac\u0000")", "x");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(json->get<std::string>(), std::string("\"\\/\b\f\n\r\t\u00e9\u672c\U0001F3AC\0", 18));
}

TEST(ParseJson, ReadsEveryKindOfNumber) {
  for (const char* text : {"0", "-0.0", "12.5", "1e+20", "-9223372036854775808", "9.5e-10"}) {
    const auto json = parse_json(text, "x");
    ASSERT_TRUE(json) << text;
    EXPECT_EQ(to_text(*json), text);
  }
  EXPECT_TRUE(parse_json("18446744073709551615", "x")->is_number_unsigned());
  EXPECT_TRUE(parse_json("18446744073709551616", "x")->is_number_float());
  EXPECT_EQ(parse_json("1e-999", "x")->get<double>(), 0.0);
}

TEST(ParseJson, SkipsAByteOrderMark) { EXPECT_TRUE(parse_json("\xEF\xBB\xBF{}", "x")); }

// Malformed and unusual documents.
constexpr const char* kOddDocuments[] = {"01",
                                         "-",
                                         "+1",
                                         "1.",
                                         ".5",
                                         "1e",
                                         "1e+",
                                         "0x1",
                                         "-01",
                                         "--1",
                                         "1 2",
                                         "tru",
                                         "True",
                                         "nul",
                                         "[1,]",
                                         "[,1]",
                                         "[1 2]",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         "{\"a\"}",
                                         "{\"a\":}",
                                         "{\"a\":1,}",
                                         "{a:1}",
                                         "{\"a\" 1}",
                                         "{1:1}",
                                         "\"",
                                         "\"\\x\"",
                                         "\"\\u12\"",
                                         "\"\\u12g4\"",
                                         "\"\\ud800\"",
                                         "\"\\ud800\\u0041\"",
                                         "\"\\udc00\"",
                                         "\"\t\"",
                                         "\"\x7f\"",
                                         "\"\xc3\"",
                                         "\"\xc0\xaf\"",
                                         "\"\xed\xa0\x80\"",
                                         "\"\xf4\x90\x80\x80\"",
                                         "'a'",
                                         "// x",
                                         "1//",
                                         "[]]",
                                         " [ ] ",
                                         "\v1",
                                         "NaN",
                                         "Infinity",
                                         "\"\\",
                                         "\"\\u",
                                         "\"\\ud83c\\u",
                                         "0e1",
                                         "-0",
                                         "[[[]]",
                                         "{\"a\":{\"b\":[1,{}]}}",
                                         "\xEF\xBB",
                                         ""};

TEST(ParseJson, AcceptsWhatTheReferenceAccepts) {
  for (const char* text : kOddDocuments)
    EXPECT_EQ(parse_json(text, "x").has_value(), Json::accept(std::string_view(text))) << text;
}

TEST(JsonParser, ParsesLikeParseJsonWhateverItParsedBefore) {
  JsonParser parser;
  const std::string large = "[\"" + std::string(100000, 'a') + "\"]";
  const std::string big_integer = "[18446744073709551616, \"b\"]";
  for (const std::string& text : {std::string(R"({"a": [1, -2, 0.5]})"), large, std::string("{"),
                                  std::string(), big_integer, std::string("true")}) {
    const auto expected = parse_json(text, "x");
    const auto parsed = parser.parse(text, "x");
    ASSERT_EQ(parsed.has_value(), expected.has_value()) << text.substr(0, 40);
    if (parsed) {
      EXPECT_EQ(*parsed, *expected);
    } else {
      EXPECT_EQ(parsed.error().message, expected.error().message);
    }
  }
}

TEST(JsonText, ReplacesInvalidUtf8) {
  EXPECT_EQ(to_text(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(to_text(Json(std::numeric_limits<double>::infinity())), "null");
}

TEST(JsonAccess, ErrorsGiveThePathAndWhatWasExpected) {
  const Json json = *parse_json(R"({"s":"t","n":70000,"big":18446744073709551615,"f":0.5})", "x");
  EXPECT_EQ(*string_at(json, "s", "m: spec"), "t");
  EXPECT_EQ(string_at(json, "q", "m: spec").error().message, "m: spec.q is missing");
  EXPECT_EQ(string_at(json, "n", "m: spec").error().message, "m: spec.n must be a string");
  EXPECT_EQ(*int_at(json, "n", {1, 70000}, "m"), 70000);
  EXPECT_EQ(int_at(json, "n", {1, 4096}, "m").error().message,
            "m.n must be a whole number from 1 to 4096");
  EXPECT_FALSE(int_at(json, "big", {-10, INT64_MAX}, "m"));
  EXPECT_FALSE(int_at(json, "f", {0, 1}, "m"));
  EXPECT_EQ(*unsigned_at(json, "big", "m"), UINT64_MAX);
  EXPECT_EQ(*number_at(json, "f", "m"), 0.5);
  EXPECT_EQ(bool_at(json, "f", "m").error().message, "m.f must be true or false");
  EXPECT_EQ(array_at(json, "f", "m").error().message, "m.f must be a list");
  EXPECT_EQ(field_at(Json(3), "f", "m").error().message, "m must be an object");
}

}  // namespace
}  // namespace skim
