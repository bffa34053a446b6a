// Which words a jump reader reads, by hand. Its values are held against the reference in
// reader_test.cpp.
#include <gtest/gtest.h>

#include <string>

#include "readers/sample_reading.h"

namespace skim {
namespace {

using namespace sample;

// A jump reader that always goes `far` on.
Weights always_jumps(const ReaderSpec& spec, std::size_t far) {
  Weights weights(spec, 14);
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    if (weights.tensors[i].name == "jump.w") std::ranges::fill(weights.values[i], 0.0F);
    if (weights.tensors[i].name != "jump.b") continue;
    std::ranges::fill(weights.values[i], 0.0F);
    weights.values[i][far] = 1;
  }
  return weights;
}

// 'x' where a word was read, '.' where not.
std::string read_at(const Outcome& result) {
  std::string marks;
  for (const Step& step : result.steps) marks += step.width > 0 ? 'x' : '.';
  return marks;
}

TEST(JumpReader, PassesOverSentencesWhateverPiecesItGets) {
  ReaderSpec spec;
  spec.kind = ReaderKind::jump;
  spec.small.clear();
  spec.jump = {.run = 1, .reach = 3, .most = 2, .ends = {0, 2}};
  const Weights weights = always_jumps(spec, 2);
  const Text text(4, spec.input, 14);
  const RowSource source(text.rows());
  const auto reader =
      make_reader(spec, weights.tensors, WeightType::f32, &source, std::size_t{1} << 20U);
  //                                        read one     pass    read        pass  the last   done
  const std::vector<std::uint32_t> words = {1, 3, 1, 0, 3, 3, 2, 1, 1, 1,
                                            3, 2, 0, 3, 1, 3, 0, 1, 0};
  Input input;
  input.words = words;
  const Outcome whole = run(*reader, input);
  EXPECT_EQ(read_at(whole), "xxxx...xxxxx.xxxx..");
  input.question = 18;
  EXPECT_EQ(read_at(run(*reader, input)), "xxxx...xxxxx.xxxx.x");
  EXPECT_EQ(read_at(run(*reader, input, {.read_above = 1})), "...................");
  EXPECT_EQ(read_at(run(*reader, input, {.read_above = 0})), "xxxxxxxxxxxxxxxxxxx");
  State state;
  reader->start(state);
  for (std::size_t first = 0; first < words.size(); first += 3) {
    Input some;
    some.words = std::span(words).subspan(first, std::min<std::size_t>(3, words.size() - first));
    const Outcome part = run(*reader, some, {}, state);
    for (std::size_t t = 0; t < part.steps.size(); ++t)
      EXPECT_EQ(part.steps[t], whole.steps[first + t]) << first + t;
  }
}

TEST(JumpReader, QuestionsAreReadWholeFromEitherEnd) {
  ReaderSpec spec;
  spec.kind = ReaderKind::jump;
  spec.small.clear();
  spec.jump = {.run = 2, .reach = 9, .most = 1};
  const Weights weights = always_jumps(spec, 4);
  const Text text(16, spec.input, 15);
  const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
  Input input = of_rows(text.rows());
  EXPECT_EQ(read_at(run(*reader, input)), "xx...xx.........");
  input.question = 11;
  EXPECT_EQ(read_at(run(*reader, input)), "xx...xx....xxxxx");
  input.backward = true;
  EXPECT_EQ(read_at(run(*reader, input)), "....xx...xxxxxxx");
  input.question = 0;
  EXPECT_EQ(read_at(run(*reader, input)), "xxxxxxxxxxxxxxxx");
}

}  // namespace
}  // namespace skim
