#include "interchange/protobuf.h"

#include <gtest/gtest.h>

namespace skim {
namespace {

using namespace std::string_view_literals;

TEST(Message, EncodesVarints) {
  EXPECT_EQ(Message().add(1, std::int64_t{0}).bytes(), "\x08\x00"sv);
  EXPECT_EQ(Message().add(1, std::int64_t{127}).bytes(), "\x08\x7F"sv);
  EXPECT_EQ(Message().add(1, std::int64_t{128}).bytes(), "\x08\x80\x01"sv);
  EXPECT_EQ(Message().add(2, std::int64_t{300}).bytes(), "\x10\xAC\x02"sv);
}

TEST(Message, EncodesNegativeNumbersInTenBytes) {
  EXPECT_EQ(Message().add(1, std::int64_t{-1}).bytes(),
            "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv);
}

TEST(Message, EncodesLargeFieldNumbersInTwoBytes) {
  EXPECT_EQ(Message().add(20, std::int64_t{2}).bytes(), "\xA0\x01\x02"sv);
}

TEST(Message, EncodesFloatsAsLittleEndianFixed32) {
  EXPECT_EQ(Message().add(2, 1.0F).bytes(), "\x15\x00\x00\x80\x3F"sv);
}

TEST(Message, PrefixesTextAndMessagesWithTheirLength) {
  EXPECT_EQ(Message().add(2, "ab").bytes(),
            "\x12\x02"
            "ab"sv);
  const Message inner = Message().add(1, std::int64_t{3});
  EXPECT_EQ(Message().add(7, inner).add(7, inner).bytes(), "\x3A\x02\x08\x03\x3A\x02\x08\x03"sv);
  EXPECT_EQ(Message().add(2, std::string(200, 'x')).bytes().substr(0, 3), "\x12\xC8\x01"sv);
}

}  // namespace
}  // namespace skim
