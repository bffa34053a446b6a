#include "cli/reading_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim::cli {
namespace {

using testing::HasSubstr;

// A handmade reading: one letter per word, 'r' read, 's' skimmed, 'b' between.
struct Made {
  std::string text;
  Reading reading;
  ModelSpec spec;

  Made(std::string given, std::vector<TokenSpan> words, std::string_view classes)
      : text(std::move(given)) {
    spec.reader.skim_sizes = {30, 10};
    spec.labels = {"bad", "good & <fine>"};
    reading.words = std::move(words);
    reading.scores = {0.25F, 0.75F};
    reading.answer = {spec.labels[1], 1, 0.75F};
    Pass pass{"0.forward", 100, {}};
    for (const char word_class : classes) {
      const int width = word_class == 'r' ? 100 : word_class == 'b' ? 30 : 10;
      pass.steps.push_back({static_cast<std::uint16_t>(width), 0.5F});
    }
    reading.trace = {pass};
  }

  ReadingView view() const { return {text, reading, spec, "model.skim", Policy{}, 12}; }
};

TEST(MarkedText, PutsReadWordsInBracketsAndKeepsAllSpacing) {
  const Made made("  a  b\tc\n", {{2, 3}, {5, 6}, {7, 8}}, "srs");
  EXPECT_EQ(marked_text(made.view(), Style::brackets), "  a  [b]\tc\n");
}

TEST(MarkedText, JoinsNeighboursOfTheSameClass) {
  const Made made("a b, c", {{0, 1}, {2, 3}, {3, 4}, {5, 6}}, "rrrs");
  EXPECT_EQ(marked_text(made.view(), Style::brackets), "[a b,] c");
}

TEST(MarkedText, AnsiStyleUsesBoldAndDim) {
  const Made made("a b c", {{0, 1}, {2, 3}, {4, 5}}, "rsb");
  EXPECT_EQ(marked_text(made.view(), Style::ansi), "\x1b[1ma\x1b[22m \x1b[2mb\x1b[22m c");
}

TEST(MarkedText, EscapesTerminalControls) {
  const Made made("a\x1b[2J\r\nb", {{0, 5}, {7, 8}}, "rs");
  EXPECT_EQ(marked_text(made.view(), Style::brackets), "[a\\x1b[2J]\nb");
}

TEST(MarkedText, IsEmptyForAnEmptyText) {
  EXPECT_EQ(marked_text(Made("", {}, "").view(), Style::brackets), "");
}

TEST(MarkedText, MarksTheAnswerSpanInEveryPass) {
  Made made("a b c d", {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, "rrrs");
  made.spec.net = NetKind::span;
  made.spec.labels = {};
  made.reading.answer = {"b c", -1, 0.5F, 2, 5};
  EXPECT_EQ(marked_text(made.view(), Style::brackets), "[a] <<[b c]>> d");
  Pass question{"question.0.forward", 100, {{100, 1}, {10, 0}}, true};
  made.reading.question_words = {{0, 3}, {3, 4}};
  made.reading.trace.push_back(question);
  ReadingView view = made.view();
  view.question = "who?";
  EXPECT_EQ(marked_text(view, Style::brackets),
            "0.forward, 25 % skimmed:\n[a] <<[b c]>> d\n\n"
            "question.0.forward, 50 % skimmed:\n[who]?");
}

TEST(MarkedText, HighlightsTheAnswerFromFirstToLastWord) {
  Made made("a b c d", {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, "srss");
  made.spec.net = NetKind::span;
  made.spec.labels = {};
  made.reading.answer = {"b c", -1, 0.5F, 2, 5};
  EXPECT_EQ(marked_text(made.view(), Style::ansi),
            "\x1b[2ma\x1b[22m \x1b[30;42m\x1b[1mb\x1b[22m \x1b[2mc\x1b[22m\x1b[0m "
            "\x1b[2md\x1b[22m");
}

TEST(MarkedText, AppendsAQuestionThatWasRead) {
  Made made("a b", {{0, 1}, {2, 3}}, "rssr");
  made.spec.net = NetKind::cloze;
  made.reading.question_words = {{0, 1}, {2, 3}};
  ReadingView view = made.view();
  view.question = "c d";
  EXPECT_EQ(marked_text(view, Style::brackets), "[a] b\nc [d]");
}

TEST(SummaryLine, CountsWordsOfTheFirstPass) {
  const Made made("a b c", {{0, 1}, {2, 3}, {4, 5}}, "rss");
  EXPECT_THAT(summary_line(made.view()), HasSubstr("75.0%, read 1 of 3 words (66.7% skimmed)"));
}

}  // namespace
}  // namespace skim::cli
