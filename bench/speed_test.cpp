#include "bench/speed.h"

#include <gtest/gtest.h>

#include "bench/random_reader.h"

namespace skim {
namespace {

TEST(RandomReader, ReadsAndSkimsTheWordsThatTheTextSpecifies) {
  const RandomEmbeddings embeddings(50, 20, 1);
  ReaderSpec spec;
  spec.input_size = spec.hidden_size = 20;
  spec.skim_sizes = {4};
  const RandomReader random_reader = make_random_reader(spec, WeightType::f32, &embeddings, 1);
  const std::vector<std::uint32_t> text = random_text(300, 50, 0.7, 2);
  std::vector<Step> steps(text.size());
  State state;
  Scratch scratch;
  random_reader.reader->start(state);
  Input input;
  input.ids = text;
  random_reader.reader->read(input, Policy{}, state, Output{}, steps, scratch);
  int skimmed = 0;
  for (std::size_t t = 0; t < text.size(); ++t) {
    ASSERT_EQ(steps[t].width, text[t] % 2 == 0 ? 20 : 4);
    skimmed += text[t] % 2 == 0 ? 0 : 1;
  }
  EXPECT_EQ(skimmed, 210);
}

TEST(Speed, HasARowForEverySizeAndRate) {
  SpeedOptions options;
  options.hidden_sizes = {16, 24};
  options.skim_sizes = {0, 4};
  options.skim_rates = {0.5, 0.9};
  options.vocab_size = 100;
  options.rounds = 2;
  const auto rows = measure_speed(options);
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 8U);
  for (const SpeedRow& row : *rows) {
    EXPECT_GT(row.dense_ns, 0);
    EXPECT_GT(row.skim_ns, 0);
    EXPECT_GT(row.skimmed_word_ns, 0);
    EXPECT_GT(row.speedup, 0);
    EXPECT_GT(row.bandwidth, 0);
    EXPECT_GT(row.costs.executed.reduction(), 1.5);
  }
  EXPECT_GT((*rows)[1].costs.executed.reduction(), (*rows)[0].costs.executed.reduction());
}

SpeedOptions small_batch(int texts) {
  SpeedOptions options;
  options.hidden_sizes = {16};
  options.skim_sizes = {4};
  options.skim_rates = {0.5, 0.9};
  options.sequence_length = 30;
  options.vocab_size = 100;
  options.rounds = 3;
  options.batch = texts;
  return options;
}

TEST(Speed, ComparesBatchesWithSingleTexts) {
  for (const int texts : {1, 5, 16}) {
    const auto rows = measure_speed(small_batch(texts));
    ASSERT_TRUE(rows.has_value()) << rows.error().message;
    for (const SpeedRow& row : *rows) {
      ASSERT_TRUE(row.batch.has_value());
      EXPECT_EQ(row.batch->texts, texts);
      for (const double figure : {row.batch->dense_ns, row.batch->skim_ns, row.batch->dense_gain,
                                  row.batch->skim_gain, row.batch->speedup})
        EXPECT_GT(figure, 0);
    }
  }
  EXPECT_FALSE(measure_speed(small_batch(0))->front().batch.has_value());
}

TEST(Speed, RejectsBatchesThatTheReadersDoNotSupport) {
  EXPECT_FALSE(measure_speed(small_batch(17)).has_value());
  EXPECT_FALSE(measure_speed(small_batch(-1)).has_value());
  SpeedOptions options = small_batch(4);
  options.cell = Cell::rnn;
  EXPECT_FALSE(measure_speed(options).has_value());
  options = small_batch(4);
  options.inputs = Inputs::rows;
  EXPECT_FALSE(measure_speed(options).has_value());
}

TEST(Speed, RejectsInvalidSizesAndRates) {
  SpeedOptions options;
  options.hidden_sizes = {10};
  options.skim_sizes = {10};
  EXPECT_FALSE(measure_speed(options).has_value());
  options.skim_sizes = {5};
  options.skim_rates = {1.5};
  EXPECT_FALSE(measure_speed(options).has_value());
}

}  // namespace
}  // namespace skim
