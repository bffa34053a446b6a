#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace skim {
namespace {

TEST(IsUtf8, AcceptsTextOfEveryLength) {
  for (const char* text : {"", "a", "eight ch", "größer als neun", "\u20AC", "\U0001F600",
                           "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  EXPECT_TRUE(is_utf8(std::string(1000, 'a') + "\u20AC" + std::string(7, 'b')));
}

TEST(IsUtf8, RejectsIllFormedSequencesAtAnyPosition) {
  for (const char* text :
       {"\x80", "\xFF", "\xC3", "\xC3(", "\xC0\xAF", "\xE2\x82", "\xE0\x80\xAF", "\xED\xA0\x80",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"}) {
    for (std::size_t before = 0; before < 10; ++before) {
      EXPECT_FALSE(is_utf8(std::string(before, 'a') + text)) << before;
      EXPECT_FALSE(is_utf8(std::string(before, 'a') + text + std::string(9, 'b'))) << before;
    }
  }
}

}  // namespace
}  // namespace skim
