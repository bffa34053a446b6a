// Expected jumps of LSTM-Jump readers. reader_test.cpp compares their states with the reference.
#include <gtest/gtest.h>

#include <string>

#include "readers/sample_reading.h"

namespace skim {
namespace {

using namespace sample;

// Weights with which the reader always predicts a jump of `length`.
Weights constant_jump_weights(const ReaderSpec& spec, std::size_t length) {
  Weights weights(spec, 14);
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    if (weights.tensors[i].name == "jump.weight") std::ranges::fill(weights.values[i], 0.0F);
    if (weights.tensors[i].name != "jump.bias") continue;
    std::ranges::fill(weights.values[i], 0.0F);
    weights.values[i][length] = 1;
  }
  return weights;
}

// 'x' for each word that was read, '.' for each skipped word.
std::string read_pattern(const Outcome& result) {
  std::string marks;
  for (const Step& step : result.steps) marks += step.width > 0 ? 'x' : '.';
  return marks;
}

TEST(LstmJumpReader, JumpsOverSentencesForAnyChunking) {
  ReaderSpec spec;
  spec.kind = ReaderKind::lstm_jump;
  spec.skim_sizes.clear();
  spec.jump = {.tokens_per_jump = 1, .max_jump = 3, .max_jumps = 2, .sentence_end_ids = {0, 2}};
  const Weights weights = constant_jump_weights(spec, 2);
  const Text text(4, spec.input_size, 14);
  const RowEmbeddings source(text.rows());
  const auto reader =
      make_reader(spec, weights.tensors, WeightType::f32, &source, std::size_t{1} << 20U);
  //                                        read one     pass    read        pass  the last   done
  const std::vector<std::uint32_t> words = {1, 3, 1, 0, 3, 3, 2, 1, 1, 1,
                                            3, 2, 0, 3, 1, 3, 0, 1, 0};
  Input input;
  input.ids = words;
  const Outcome whole = run(*reader, input);
  EXPECT_EQ(read_pattern(whole), "xxxx...xxxxx.xxxx..");
  input.question_begin = 18;
  EXPECT_EQ(read_pattern(run(*reader, input)), "xxxx...xxxxx.xxxx.x");
  EXPECT_EQ(read_pattern(run(*reader, input, {.threshold = 1})), "...................");
  EXPECT_EQ(read_pattern(run(*reader, input, {.threshold = 0})), "xxxxxxxxxxxxxxxxxxx");
  State state;
  reader->start(state);
  for (std::size_t first = 0; first < words.size(); first += 3) {
    Input some;
    some.ids = std::span(words).subspan(first, std::min<std::size_t>(3, words.size() - first));
    const Outcome part = run(*reader, some, {}, state);
    for (std::size_t t = 0; t < part.steps.size(); ++t)
      EXPECT_EQ(part.steps[t], whole.steps[first + t]) << first + t;
  }
}

TEST(LstmJumpReader, ReadsQuestionsCompletelyInBothDirections) {
  ReaderSpec spec;
  spec.kind = ReaderKind::lstm_jump;
  spec.skim_sizes.clear();
  spec.jump = {.tokens_per_jump = 2, .max_jump = 9, .max_jumps = 1};
  const Weights weights = constant_jump_weights(spec, 4);
  const Text text(16, spec.input_size, 15);
  const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
  Input input = rows_input(text.rows());
  EXPECT_EQ(read_pattern(run(*reader, input)), "xx...xx.........");
  input.question_begin = 11;
  EXPECT_EQ(read_pattern(run(*reader, input)), "xx...xx....xxxxx");
  input.backward = true;
  EXPECT_EQ(read_pattern(run(*reader, input)), "....xx...xxxxxxx");
  input.question_begin = 0;
  EXPECT_EQ(read_pattern(run(*reader, input)), "xxxxxxxxxxxxxxxx");
}

}  // namespace
}  // namespace skim
