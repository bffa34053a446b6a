#include "tasks/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Record> all_records(std::string_view bytes, TableShape shape = {}) {
  TableRecords records(bytes, shape);
  std::vector<Record> all;
  while (true) {
    auto record = records.next();
    EXPECT_TRUE(record) << record.error().message;
    if (!record || !*record) return all;
    all.push_back(std::move(**record));
  }
}

TEST(TableRecords, SplitsFieldsAtSeparators) {
  const auto records = all_records("a,b\nc,d");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT(records[1].fields, ElementsAre("c", "d"));
}

TEST(TableRecords, QuotedFieldsHoldSeparatorsLineEndsAndQuotes) {
  const auto records = all_records("\"a,\"\"b\"\"\n c\",d\ne,f\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[0].fields, ElementsAre("a,\"b\"\n c", "d"));
  EXPECT_EQ(records[1].line, 3U);
}

TEST(TableRecords, AQuoteInsideAnUnquotedFieldIsOrdinary) {
  EXPECT_THAT(all_records("5\" disk,b")[0].fields, ElementsAre("5\" disk", "b"));
}

TEST(TableRecords, CarriageReturnsBelongToTheLineEnd) {
  const auto records = all_records("a,b\r\n\r\nc,\r\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT(records[1].fields, ElementsAre("c", ""));
}

TEST(TableRecords, AFieldAfterTheLastSeparatorMayBeEmpty) {
  EXPECT_THAT(all_records("a,")[0].fields, ElementsAre("a", ""));
  EXPECT_THAT(all_records(",")[0].fields, ElementsAre("", ""));
}

TEST(TableRecords, AnUnclosedQuoteIsNamedByTheLineItOpensOn) {
  TableRecords records("a,b\nc,\"d\ne,f\n", {});
  ASSERT_TRUE(records.next());
  const auto record = records.next();
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().message, HasSubstr("line 2"));
}

TEST(TableRecords, TextAfterAClosingQuoteIsAnError) {
  TableRecords records("\"a\"b,c\n", {});
  const auto record = records.next();
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().message, HasSubstr("closing quote"));
}

TEST(TableRecords, WithoutQuotesAQuoteIsOrdinary) {
  EXPECT_THAT(all_records("\"a\tb\n", {'\t', false})[0].fields, ElementsAre("\"a", "b"));
}

TEST(FindColumns, AcceptsAnyOrderAndCase) {
  const auto columns = find_columns(std::vector<std::string>{"id", " Text", "LABEL"});
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->text, 1U);
  EXPECT_EQ(columns->label, 2U);
}

}  // namespace
}  // namespace skim
