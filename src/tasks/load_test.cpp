#include "tasks/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "tasks/format.h"

namespace skim {
namespace {

using testing::HasSubstr;

Dataset parsed(std::string_view bytes) {
  auto data = parse_examples(bytes, "d");
  EXPECT_TRUE(data) << data.error().message;
  return data ? std::move(*data) : Dataset{};
}

std::string load_error(std::string_view bytes) {
  const auto data = parse_examples(bytes, "d");
  return data ? "no error" : data.error().message;
}

void expect_examples(std::string_view bytes,
                     const std::vector<std::pair<std::string, std::string>>& expected) {
  const Dataset data = parsed(bytes);
  ASSERT_EQ(data.examples.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(data.examples[i].label, expected[i].first);
    EXPECT_EQ(data.examples[i].query.text, expected[i].second);
  }
}

TEST(DetectFormat, DistinguishesTheFormats) {
  EXPECT_EQ(detect_format("1\tgood, text\n")->format, Format::tsv);
  EXPECT_EQ(detect_format("label,text\n1,good\n")->format, Format::csv);
  EXPECT_EQ(detect_format("Text;Label\ngood;1\n")->csv.separator, ';');
  EXPECT_EQ(detect_format("__label__1 good\n")->format, Format::fast_text);
  EXPECT_EQ(detect_format("{\"label\": 1, \"text\": \"good\"}\n")->format, Format::json_lines);
}

TEST(ParseExamples, ReadsTabSeparatedLines) {
  expect_examples("1\tgood film\n0\tbad\twith tab\n", {{"1", "good film"}, {"0", "bad\twith tab"}});
}

TEST(ParseExamples, ReadsTabSeparatedColumnsWithAHeader) {
  expect_examples("text\tlabel\n\"good\t1\n", {{"1", "\"good"}});
}

TEST(ParseExamples, ReadsCsvByColumnName) {
  expect_examples("id,text,label\n7,\"good,\nfilm\",pos\n8,bad,neg\n",
                  {{"pos", "good,\nfilm"}, {"neg", "bad"}});
}

TEST(ParseExamples, ReadsFastTextLines) {
  expect_examples("__label__pos good film\n__label__neg  bad\n__label__neg\n",
                  {{"pos", "good film"}, {"neg", "bad"}, {"neg", ""}});
}

TEST(ParseExamples, ReadsJsonLines) {
  expect_examples(
      "{\"text\": \"a\\tb\", \"label\": \"pos\", \"id\": 3}\n{\"label\":0,\"text\":\"\"}",
      {{"pos", "a\tb"}, {"0", ""}});
}

// 18446744073709551615 became the label -1.
TEST(ParseExamples, AnIntegerLabelBeyondInt64KeepsItsDigits) {
  expect_examples(R"({"label":18446744073709551615,"text":"a"})"
                  "\n"
                  R"({"label":-9223372036854775808,"text":"b"})",
                  {{"18446744073709551615", "a"}, {"-9223372036854775808", "b"}});
}

TEST(ParseExamples, IgnoresCarriageReturnsByteOrderMarksAndMissingFinalNewlines) {
  expect_examples(
      "\xEF\xBB\xBF"
      "1\tgood\r\n0\tbad",
      {{"1", "good"}, {"0", "bad"}});
  expect_examples("\xEF\xBB\xBFlabel,text\r\n1,good\r\n0,bad", {{"1", "good"}, {"0", "bad"}});
}

// Detection removed both marks and parsing one, so that the two saw different texts.
TEST(ParseExamples, OnlyOneByteOrderMarkIsRemoved) {
  const std::string twice = "\xEF\xBB\xBF\xEF\xBB\xBF";
  EXPECT_FALSE(detect_format(twice + "__label__a x\n"));
  EXPECT_THAT(load_error(twice + "__label__a x\n"), HasSubstr("d: expected lines of label"));
}

TEST(ParseExamples, SkipsBlankLinesButCountsThem) {
  const Dataset data = parsed("\n1\tgood\n\n0\tbad\n");
  ASSERT_EQ(data.examples.size(), 2U);
  EXPECT_EQ(data.examples[0].line, 2U);
  EXPECT_EQ(data.examples[1].line, 4U);
}

TEST(ParseExamples, KeepsInvalidUtf8AndNulBytes) {
  using namespace std::string_literals;
  expect_examples("1\tgo\xFFod\0x\n"s, {{"1", "go\xFFod\0x"s}});
}

TEST(ParseExamples, ReportsFileLineAndReasonOfMalformedLines) {
  EXPECT_EQ(load_error("1\tgood\nno tab here\n"), "d: line 2: no tab between label and text");
  EXPECT_EQ(load_error("1\tgood\n\tbad\n"), "d: line 2: the label is empty");
  EXPECT_EQ(load_error("__label__a x\nb\n"), "d: line 2: does not start with __label__");
  EXPECT_THAT(load_error("__label__a __label__b x\n"),
              HasSubstr("line 1: has more than one label"));
  EXPECT_EQ(load_error("label,text\na,b\nc\n"), "d: line 3: has 1 fields, expected 2");
  EXPECT_EQ(load_error("label,text\n,b\n"), "d: line 2: the label is empty");
  EXPECT_THAT(load_error("{\"label\":1,\"text\":\"a\"}\n{\"label\":\n"), HasSubstr("d: line 2: "));
  EXPECT_EQ(load_error("{\"label\":1}\n"), "d: line 1: has no string \"text\"");
  EXPECT_THAT(load_error("{\"label\":1.5,\"text\":\"a\"}\n"), HasSubstr("no \"label\""));
  EXPECT_EQ(load_error("{\"label\":1,\"text\":\"a\"}\n[1]\n"), "d: line 2: is not a JSON object");
}

TEST(ParseExamples, RejectsSourcesWithoutExamples) {
  EXPECT_THAT(load_error(""), HasSubstr("d: the file is empty"));
  EXPECT_THAT(load_error(" \r\n\n"), HasSubstr("d: the file is empty"));
  EXPECT_THAT(load_error("label,text\n"), HasSubstr("no examples"));
}

TEST(ParseExamples, ReportsTheSupportedFormatsForAnUnknownOne) {
  EXPECT_THAT(load_error("just some words\n"), HasSubstr("label<TAB>text"));
  EXPECT_THAT(load_error("sentence,score\na,b\n"), HasSubstr("sentence,score"));
}

TEST(LoadExamples, ReadsAFile) {
  const std::string path = testing::TempDir() + "/load_examples.tsv";
  std::ofstream(path) << "1\tgood\n";
  const auto data = load_examples(path);
  std::remove(path.c_str());
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->name, path);
  EXPECT_EQ(data->examples.size(), 1U);
}

TEST(LoadExamples, ReportsAMissingFile) {
  const auto data = load_examples("/nowhere/at/all.tsv");
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().fault, Fault::io);
  EXPECT_THAT(data.error().message, HasSubstr("/nowhere/at/all.tsv"));
}

TEST(LoadExamples, RejectsADirectory) { EXPECT_FALSE(load_examples(testing::TempDir())); }

}  // namespace
}  // namespace skim
