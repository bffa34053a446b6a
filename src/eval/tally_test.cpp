#include "eval/tally.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eval/sample_texts.h"
#include "skim/session.h"

namespace skim {
namespace {

TEST(Tally, EqualsReadingOneByOne) {
  const Model model = sample_model();
  const auto queries = sample_queries(1100);  // more than one batch
  Batch batch(model, 2);
  const auto sums = tally(batch, queries, Policy{});
  ASSERT_TRUE(sums) << sums.error().message;

  Session session(model);
  std::size_t words = 0;
  double flops = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto reading = session.read(queries[i], Policy{});
    ASSERT_TRUE(reading);
    EXPECT_EQ(sums->answers[i], reading->answer.index);
    words += reading->words.size();
    flops += reading->costs.counted.flops;
  }
  EXPECT_EQ(sums->words, words);
  EXPECT_DOUBLE_EQ(sums->costs.counted.flops, flops);
}

TEST(Tally, ReadingAllSkimsNothingAndSkimmingAllReadsNothing) {
  const Model model = sample_model();
  const auto queries = sample_queries(10);
  Batch batch(model, 1);
  EXPECT_EQ(tally(batch, queries, threshold_policy(0))->skim_rate(), 0);
  EXPECT_EQ(tally(batch, queries, threshold_policy(1))->skim_rate(), 1);
}

TEST(Tally, WorkIsLessThanTheDenseReadersWhenAllIsSkimmed) {
  const Model model = sample_model();
  const auto queries = sample_queries(10);
  Batch batch(model, 1);
  EXPECT_LT(tally(batch, queries, threshold_policy(1))->work(), 1);
  EXPECT_GT(tally(batch, queries, threshold_policy(0))->work(), 1) << "the decision adds FLOPs";
}

TEST(Tally, CallsBackWithEveryReadingInOrder) {
  const Model model = sample_model();
  const auto queries = sample_queries(1100);
  Batch batch(model, 2);
  std::vector<std::size_t> words;
  const auto sums = tally(batch, queries, Policy{}, {}, [&words](const Reading& reading) {
    words.push_back(reading.words.size());
  });
  ASSERT_TRUE(sums);
  ASSERT_EQ(words.size(), queries.size());
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], i + 1);
}

std::size_t count_batches(std::span<const Query> queries, int threads) {
  Batch batch(sample_model(), threads);
  std::size_t batches = 0;
  EXPECT_TRUE(tally(batch, queries, Policy{}, [&batches](double) { ++batches; }));
  return batches;
}

TEST(Tally, ReadsManyShortTextsPerBatchAndFewLongOnes) {
  const std::vector<Query> short_texts(1000, Query{"a film", {}, {}});
  EXPECT_EQ(count_batches(short_texts, 1), 2U);
  EXPECT_EQ(count_batches(short_texts, 2), 1U);
  const std::vector<Query> long_texts(600, Query{std::string(32 << 10, 'x'), {}, {}});
  EXPECT_EQ(count_batches(long_texts, 2), 3U);
}

TEST(Tally, ProgressIncreasesToOne) {
  const Model model = sample_model();
  const auto queries = sample_queries(600);
  Batch batch(model, 1);
  double last = 0;
  ASSERT_TRUE(tally(batch, queries, Policy{}, [&last](double share) {
    EXPECT_GT(share, last);
    last = share;
  }));
  EXPECT_EQ(last, 1);
}

}  // namespace
}  // namespace skim
