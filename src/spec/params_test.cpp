#include "spec/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> lines(const std::vector<TensorSpec>& tensors) {
  std::vector<std::string> out;
  for (const TensorSpec& tensor : tensors) {
    std::string line = tensor.name;
    for (const std::size_t extent : tensor.shape) line.append(" ").append(std::to_string(extent));
    out.push_back(line + (tensor.quantized ? " q" : ""));
  }
  return out;
}

std::string error_of(const ReaderSpec& spec) {
  const auto result = check(spec);
  return result ? "(no error)" : result.error().message;
}

ModelSpec sound_model() {
  ModelSpec spec;
  spec.vocabulary = 50;
  spec.word_width = 7;
  spec.reader.hidden = 6;
  spec.reader.small = {2};
  spec.labels = {"bad", "good"};
  return spec;
}

TEST(ReaderTensors, OfASkimLstm) {
  const ReaderSpec spec{.input = 7, .hidden = 6, .small = {2}};
  EXPECT_THAT(
      lines(reader_tensors(spec)),
      ElementsAre("big.w 24 7 q", "big.u 24 6 q", "big.b 24", "small.1.w 8 7", "small.1.u 8 2",
                  "small.1.b 8", "decision.w 2 7", "decision.u 2 6", "decision.b 2"));
}

TEST(ReaderTensors, OfAGruWhoseSmallCellsSeeAllAndTheLastSkips) {
  const ReaderSpec spec{.cell = Cell::gru,
                        .input = 7,
                        .hidden = 6,
                        .small = {3, 0},
                        .small_sees = SmallSees::all,
                        .decision = Decision::dot};
  EXPECT_THAT(lines(reader_tensors(spec)),
              ElementsAre("big.w 18 7 q", "big.u 18 6 q", "big.b 18", "big.bn 6", "small.1.w 9 7",
                          "small.1.u 9 6", "small.1.b 9", "small.1.bn 3", "decision.scale 3",
                          "decision.b 3"));
}

TEST(ReaderTensors, OfAFullReaderAreTheBigOnesOnly) {
  const ReaderSpec spec{
      .kind = ReaderKind::full, .cell = Cell::rnn, .input = 7, .hidden = 6, .small = {}};
  EXPECT_THAT(lines(reader_tensors(spec)), ElementsAre("big.w 6 7 q", "big.u 6 6 q", "big.b 6"));
}

TEST(ReaderTensors, DecisionMaySeeTheCell) {
  const ReaderSpec spec{.input = 7, .hidden = 6, .small = {0}, .decision = Decision::linear_cell};
  EXPECT_THAT(lines(reader_tensors(spec)),
              ElementsAre("big.w 24 7 q", "big.u 24 6 q", "big.b 24", "decision.w 2 7",
                          "decision.u 2 6", "decision.c 2 6", "decision.b 2"));
}

TEST(ModelTensors, UpperLayersReadBothDirectionsSideBySide) {
  ModelSpec spec = sound_model();
  spec.layers = 2;
  spec.bidirectional = true;
  spec.pooling = Pooling::attention;
  const auto list = lines(model_tensors(spec));
  ASSERT_EQ(list.size(), 1U + 4 * 9 + 3);
  EXPECT_EQ(list[0], "words 50 7 q");
  EXPECT_EQ(list[1], "reader.0.forward.big.w 24 7 q");
  EXPECT_EQ(list[10], "reader.0.backward.big.w 24 7 q");
  EXPECT_EQ(list[19], "reader.1.forward.big.w 24 12 q");
  EXPECT_EQ(list[37], "pool.w 12");
  EXPECT_EQ(list[38], "head.w 2 12");
  EXPECT_EQ(list[39], "head.b 2");
}

TEST(ModelTensors, NetsThatAnswerQuestionsHaveTheirOwn) {
  ModelSpec spec = sound_model();
  spec.labels = {};
  spec.net = NetKind::cloze;
  auto list = lines(model_tensors(spec));
  EXPECT_THAT(std::vector(list.end() - 2, list.end()), ElementsAre("choice.w 7 6", "choice.b 7"));
  spec.net = NetKind::span;
  spec.bidirectional = true;
  list = lines(model_tensors(spec));
  EXPECT_EQ(list[1], "reader.0.forward.big.w 24 21 q") << "word, question and their product";
  EXPECT_THAT(std::vector(list.end() - 4, list.end()),
              ElementsAre("question.w 7", "question.both 7", "first.w 12", "last.w 12"));
}

TEST(CheckReader, AcceptsEveryKind) {
  EXPECT_EQ(error_of(ReaderSpec{}), "(no error)");
  EXPECT_EQ(error_of({.kind = ReaderKind::full, .small = {}}), "(no error)");
  EXPECT_EQ(error_of({.hidden = 1, .small = {0}}), "(no error)");
  EXPECT_EQ(error_of({.hidden = 4096, .small = {7, 6, 5, 4, 3, 2, 1}}), "(no error)");
}

TEST(CheckReader, NamesTheFieldThatMakesNoSense) {
  EXPECT_THAT(error_of({.hidden = 0}), HasSubstr("reader.hidden is 0"));
  EXPECT_THAT(error_of({.hidden = 5000}), HasSubstr("from 1 to 4096"));
  EXPECT_THAT(error_of({.input = -1}), HasSubstr("reader.input is -1"));
  EXPECT_THAT(error_of({.small = {}}), HasSubstr("reader.small is empty"));
  EXPECT_THAT(error_of({.kind = ReaderKind::full}), HasSubstr("reader.small must be empty"));
  EXPECT_THAT(error_of({.small = {100}}), HasSubstr("reader.small holds 100 after 100"));
  EXPECT_THAT(error_of({.small = {5, 5}}), HasSubstr("reader.small holds 5 after 5"));
  EXPECT_THAT(error_of({.small = {-1}}), HasSubstr("reader.small holds -1"));
  EXPECT_THAT(error_of({.small = {8, 7, 6, 5, 4, 3, 2, 1}}), HasSubstr("has 8 widths"));
  EXPECT_THAT(error_of({.cell = Cell::gru, .decision = Decision::linear_cell}),
              HasSubstr("reader.decision is linear_cell"));
}

TEST(CheckModel, NamesTheFieldThatMakesNoSense) {
  const auto error_with = [](auto change) {
    ModelSpec spec = sound_model();
    change(spec);
    const auto result = check(spec);
    return result ? "(no error)" : result.error().message;
  };
  EXPECT_EQ(error_with([](ModelSpec&) {}), "(no error)");
  EXPECT_THAT(error_with([](ModelSpec& s) { s.net = NetKind::span; }),
              HasSubstr("labels must be empty"));
  EXPECT_THAT(error_with([](ModelSpec& s) {
                s.net = NetKind::cloze;
                s.labels = {};
                s.pooling = Pooling::max;
              }),
              HasSubstr("pooling must be 'last'"));
  const auto jumps = [&](auto change) {
    return error_with([&](ModelSpec& s) {
      s.reader.kind = ReaderKind::jump;
      s.reader.small = {};
      s.reader.jump.ends = {1, 49};
      change(s);
    });
  };
  EXPECT_EQ(jumps([](ModelSpec&) {}), "(no error)");
  EXPECT_THAT(jumps([](ModelSpec& s) { s.reader.jump.ends = {50}; }),
              HasSubstr("reader.jump.ends is 50"));
  EXPECT_THAT(jumps([](ModelSpec& s) { s.reader.jump.ends.resize(17); }), HasSubstr("17 words"));
  EXPECT_THAT(jumps([](ModelSpec& s) { s.layers = 2; }), HasSubstr("one layer"));
  EXPECT_THAT(jumps([](ModelSpec& s) { s.bidirectional = true; }), HasSubstr("one direction"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.vocabulary = 0; }), HasSubstr("vocabulary is 0"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.word_width = 0; }), HasSubstr("word_width is 0"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.layers = 17; }), HasSubstr("layers is 17"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.reader.hidden = 0; }), HasSubstr("reader.hidden"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.labels = {}; }), HasSubstr("labels is empty"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.labels = {"a", ""}; }), HasSubstr("empty label"));
  EXPECT_THAT(error_with([](ModelSpec& s) { s.labels = {"a", "a"}; }), HasSubstr("'a' twice"));
}

}  // namespace
}  // namespace skim
