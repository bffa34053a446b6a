#include "tasks/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<CsvRecord> all_records(std::string_view bytes, CsvDialect dialect = {}) {
  CsvReader reader(bytes, dialect);
  std::vector<CsvRecord> all;
  while (true) {
    auto record = reader.next();
    EXPECT_TRUE(record) << record.error().message;
    if (!record || !*record) return all;
    all.push_back(std::move(**record));
  }
}

TEST(CsvReader, SplitsFieldsAtSeparators) {
  const auto records = all_records("a,b\nc,d");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT(records[1].fields, ElementsAre("c", "d"));
}

TEST(CsvReader, QuotedFieldsMayContainSeparatorsNewlinesAndQuotes) {
  const auto records = all_records("\"a,\"\"b\"\"\n c\",d\ne,f\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[0].fields, ElementsAre("a,\"b\"\n c", "d"));
  EXPECT_EQ(records[1].line, 3U);
}

TEST(CsvReader, AQuoteInsideAnUnquotedFieldIsOrdinary) {
  EXPECT_THAT(all_records("5\" disk,b")[0].fields, ElementsAre("5\" disk", "b"));
}

TEST(CsvReader, AcceptsCrLf) {
  const auto records = all_records("a,b\r\n\r\nc,\r\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_THAT(records[0].fields, ElementsAre("a", "b"));
  EXPECT_THAT(records[1].fields, ElementsAre("c", ""));
}

TEST(CsvReader, AFieldAfterTheLastSeparatorMayBeEmpty) {
  EXPECT_THAT(all_records("a,")[0].fields, ElementsAre("a", ""));
  EXPECT_THAT(all_records(",")[0].fields, ElementsAre("", ""));
}

TEST(CsvReader, ReportsTheOpeningLineOfAnUnterminatedQuote) {
  CsvReader records("a,b\nc,\"d\ne,f\n", {});
  ASSERT_TRUE(records.next());
  const auto record = records.next();
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().message, HasSubstr("line 2"));
}

TEST(CsvReader, RejectsTextAfterAClosingQuote) {
  CsvReader records("\"a\"b,c\n", {});
  const auto record = records.next();
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().message, HasSubstr("closing quote"));
}

TEST(CsvReader, WithoutQuotesAQuoteIsOrdinary) {
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
