#include "bench/speed.h"

#include <gtest/gtest.h>

#include "bench/random_reader.h"

namespace skim {
namespace {

TEST(RandomReader, ReadsAndSkimsTheWordsThatTheTextAsksFor) {
  const RandomWords words(50, 20, 1);
  ReaderSpec spec;
  spec.input = spec.hidden = 20;
  spec.small = {4};
  const RandomReader made = make_random_reader(spec, WeightType::f32, &words, 1);
  const std::vector<std::uint32_t> text = random_text(300, 50, 0.7, 2);
  std::vector<Step> steps(text.size());
  State state;
  Scratch scratch;
  made.reader->start(state);
  Input input;
  input.words = text;
  made.reader->read(input, Policy{}, state, Output{}, steps, scratch);
  int skimmed = 0;
  for (std::size_t t = 0; t < text.size(); ++t) {
    ASSERT_EQ(steps[t].width, text[t] % 2 == 0 ? 20 : 4);
    skimmed += text[t] % 2 == 0 ? 0 : 1;
  }
  EXPECT_EQ(skimmed, 210);
}

TEST(Speed, HasARowForEverySizeAndRateWithItsBounds) {
  SpeedOptions options;
  options.hidden = {16, 24};
  options.small = {0, 4};
  options.skim_rates = {0.5, 0.9};
  options.vocabulary = 100;
  options.rounds = 2;
  const auto rows = measure_speed(options);
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 8U);
  for (const SpeedRow& row : *rows) {
    EXPECT_GT(row.plain_ns, 0);
    EXPECT_GT(row.skim_ns, 0);
    EXPECT_GT(row.skimmed_ns, 0);
    EXPECT_GT(row.speedup, 0);
    EXPECT_GT(row.bandwidth, 0);
    EXPECT_GT(row.costs.executed.reduction(), 1.5);
  }
  EXPECT_GT((*rows)[1].costs.executed.reduction(), (*rows)[0].costs.executed.reduction());
}

TEST(Speed, RefusesSizesThatMakeNoReader) {
  SpeedOptions options;
  options.hidden = {10};
  options.small = {10};
  EXPECT_FALSE(measure_speed(options).has_value());
  options.small = {5};
  options.skim_rates = {1.5};
  EXPECT_FALSE(measure_speed(options).has_value());
}

}  // namespace
}  // namespace skim
