#include "tasks/cbt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tasks/format.h"
#include "tasks/load.h"

namespace skim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Sentences 1 to 20: "1 s1", "2 s2" and so on.
std::string context_lines() {
  std::string lines;
  for (int i = 1; i <= 20; ++i) {
    lines += std::to_string(i) + " s" + std::to_string(i) + "\n";
  }
  return lines;
}

// `last` is what follows the number 21.
std::string cloze(const std::string& last) { return context_lines() + "21 " + last + "\n"; }

const std::string kFox = "The XXXXX ran .\tfox\t\tdog|fox|hen|cow|cat|owl|bee|ant|rat|pig";

Dataset cbt_data(std::string_view bytes) {
  auto data = parse_examples(bytes, "d");
  EXPECT_TRUE(data) << data.error().message;
  return data ? std::move(*data) : Dataset{};
}

std::string cbt_error(std::string_view bytes) {
  const auto data = parse_examples(bytes, "d");
  return data ? "no error" : data.error().message;
}

std::string replace_newlines(const std::string& text, const std::string& end) {
  std::string changed;
  for (const char c : text) changed += c == '\n' ? end : std::string(1, c);
  return changed;
}

TEST(DetectFormat, RecognizesNumberedSentences) {
  EXPECT_EQ(detect_format("1 One .\n2 Two .\n")->format, Format::cbt);
  EXPECT_EQ(detect_format("\xEF\xBB\xBF\r\n1 One .\r\n2 Two .\r\n")->format, Format::cbt);
}

TEST(DetectFormat, DistinguishesNumberedSentencesFromNumericLabels) {
  EXPECT_EQ(detect_format("1 star\tbad\n2 stars\tmild\n")->format, Format::tsv);
  EXPECT_EQ(detect_format("1\tgood\n2\tbad\n")->format, Format::tsv);
  EXPECT_FALSE(detect_format("1 One .\nTwo .\n"));
  EXPECT_FALSE(detect_format("1 One .\n"));
}

TEST(ParseCbt, ReadsSentencesQuestionAndChoices) {
  const Dataset data = cbt_data(cloze(kFox) + "\n" + cloze("XXXXX\tb\t\ta|b") + "\n");
  ASSERT_EQ(data.examples.size(), 2U);
  const Example& first = data.examples[0];
  EXPECT_TRUE(first.query.text.starts_with("s1 s2 s3 "));
  EXPECT_TRUE(first.query.text.ends_with(" s19 s20"));
  EXPECT_EQ(first.query.question, "The XXXXX ran .");
  EXPECT_EQ(first.query.choices.size(), 10U);
  EXPECT_EQ(first.label, "fox");
  EXPECT_EQ(first.line, 21U);
  EXPECT_TRUE(first.answers.empty());
  const Example& second = data.examples[1];
  EXPECT_EQ(second.query.text, first.query.text);
  EXPECT_THAT(second.query.choices, ElementsAre("a", "b"));
  EXPECT_EQ(second.line, 43U);
}

TEST(ParseCbt, IgnoresCarriageReturnsAndBlankLines) {
  const std::string file = cloze(kFox) + "\n" + cloze(kFox) + "\n";
  const std::string crlf = replace_newlines(file, "\r\n");
  const std::string variants[] = {crlf, "\n\n" + file + "\n \n", file.substr(0, file.size() - 2),
                                  crlf.substr(0, crlf.size() - 3), cloze(kFox) + cloze(kFox)};
  for (const std::string& variant : variants) {
    const Dataset data = cbt_data(variant);
    ASSERT_EQ(data.examples.size(), 2U);
    EXPECT_EQ(data.examples[1].query.text, cbt_data(file).examples[0].query.text);
    EXPECT_EQ(data.examples[1].query.choices.back(), "pig");
  }
}

TEST(ParseCbt, AcceptsEmptySentencesAndArbitraryBytes) {
  std::string file = cloze(kFox);
  file.replace(file.find("3 s3"), 4, "3");
  file.replace(file.find("4 s4"), 4, "4 \xFF\tx");
  const Dataset data = cbt_data(file);
  ASSERT_EQ(data.examples.size(), 1U);
  EXPECT_TRUE(data.examples[0].query.text.starts_with("s1 s2  \xFF\tx s5 "));
}

TEST(ParseCbt, ReportsTheLineOfSentencesOutOfOrder) {
  std::string file = cloze(kFox) + "\n" + cloze(kFox);
  file.replace(file.rfind("\n7 ") + 1, 2, "8 ");
  EXPECT_EQ(cbt_error(file), "d: line 29: does not start with 7, the number of the next sentence");
  EXPECT_THAT(cbt_error("1 a\n2 b\n33 c\n"), HasSubstr("line 3: does not start with 3"));
}

TEST(ParseCbt, ReportsTheLineOfAnIncompleteQuestion) {
  EXPECT_EQ(cbt_error("1 a\n2 b\n\n3 c\n"), "d: line 3: the question ends before its line 3 of 21");
  EXPECT_EQ(cbt_error(cloze(kFox) + "\n" + context_lines()),
            "d: line 42: the question ends before its line 21 of 21");
}

TEST(ParseCbt, RejectsATruncatedQuestion) {
  const std::string whole = cloze(kFox) + "\n" + cloze("XXXXX\tb\t\ta|b");
  const std::size_t first = cloze(kFox).size();
  for (std::size_t size = first + 2; size + 1 < whole.size(); ++size) {
    EXPECT_THAT(cbt_error(whole.substr(0, size)), HasSubstr("d: line ")) << size;
  }
  EXPECT_EQ(cbt_data(whole.substr(0, first + 1)).examples.size(), 1U);
}

TEST(ParseCbt, ReportsLineAndReasonOfMalformedQuestions) {
  EXPECT_THAT(cbt_error(cloze("The XXXXX ran .")), HasSubstr("d: line 21: has 1 fields"));
  EXPECT_THAT(cbt_error(cloze("XXXXX\ta\ta|b")), HasSubstr("d: line 21: has 3 fields"));
  EXPECT_THAT(cbt_error(cloze("XXXXX\ta\t\ta|b\t")), HasSubstr("d: line 21: has 5 fields"));
  EXPECT_EQ(cbt_error(cloze("The fox ran .\ta\t\ta|b")),
            "d: line 21: the question has no placeholder XXXXX");
  EXPECT_EQ(cbt_error(cloze("XXXXX\tc\t\ta|b")),
            "d: line 21: the answer 'c' is not among the choices");
  EXPECT_EQ(cbt_error(cloze("XXXXX\t\t\ta|b")),
            "d: line 21: the answer '' is not among the choices");
  EXPECT_EQ(cbt_error(cloze("XXXXX\tb\t\ta|b|c|b")), "d: line 21: the choice 'b' appears twice");
  EXPECT_EQ(cbt_error(cloze("XXXXX\tb\t\ta||b")), "d: line 21: choice 2 is empty");
  EXPECT_EQ(cbt_error(cloze("XXXXX\tb\t\t")), "d: line 21: choice 1 is empty");
}

}  // namespace
}  // namespace skim
