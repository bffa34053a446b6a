#include "skim/batch.h"

#include <gtest/gtest.h>

#include <vector>

#include "skim/session.h"
#include "tests/laws/counting_new.h"
#include "tests/support/model_specs.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

std::vector<Query> make_queries(const ModelSpec& spec, std::size_t count) {
  std::vector<Query> queries;
  for (std::size_t i = 0; i < count; ++i) {
    queries.push_back({random_text(spec, (i * 7) % 90, i), {}, {}});
  }
  return queries;
}

void expect_same(const Result<Reading>& expected, const Result<Reading>& got) {
  ASSERT_TRUE(expected.has_value());
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(expected->scores, got->scores);
  EXPECT_EQ(expected->answer.index, got->answer.index);
  EXPECT_EQ(expected->words, got->words);
  EXPECT_EQ(expected->costs, got->costs);
  ASSERT_EQ(expected->trace.size(), got->trace.size());
  for (std::size_t i = 0; i < expected->trace.size(); ++i) {
    EXPECT_EQ(expected->trace[i].steps, got->trace[i].steps);
  }
}

// Split in two, because it dominates the time of the ThreadSanitizer build.
class BatchOfModels : public testing::TestWithParam<std::size_t> {};

TEST_P(BatchOfModels, ResultsAreInOrderAndIndependentOfTheNumberOfThreads) {
  const std::vector<ModelSpec> all = sampled_model_specs(23);
  for (std::size_t which = GetParam(); which < all.size(); which += 2) {
    const ModelSpec& spec = all[which];
    SCOPED_TRACE(describe(spec));
    const ModelDraft draft = random_draft(spec, 1);
    const std::vector<Query> queries = make_queries(spec, 60);
    Session session(load_model(draft));
    std::vector<Result<Reading>> expected;
    for (const Query& query : queries) expected.push_back(session.read(query));
    for (const int threads : {1, 2, 4}) {
      // A new model each time, so that all threads fill its folded tables concurrently.
      Batch batch(load_model(draft), threads);
      EXPECT_EQ(batch.threads(), threads);
      std::vector<Result<Reading>> answers(queries.size());
      batch.read(queries, {}, answers);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        expect_same(expected[i], answers[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Halves, BatchOfModels, testing::Values(0U, 1U));

TEST(Batch, ReusesTheReadingsOfEarlierCalls) {
  const ModelSpec spec = all_model_specs().back();
  const Model model = load_model(random_draft(spec, 2));
  Batch batch(model, 3);
  const std::vector<Query> queries = make_queries(spec, 20);
  std::vector<Result<Reading>> answers(queries.size());
  for (int round = 0; round < 50; ++round) {
    batch.read(queries, {.threshold = round % 2 == 0 ? 0.5F : 0.1F}, answers);
  }
  Session session(model);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    expect_same(session.read(queries[i], {.threshold = 0.1F}), answers[i]);
  }
}

TEST(Batch, ReportsAnErrorPerQuery) {
  const ModelSpec spec = all_model_specs().front();
  Batch batch(load_model(random_draft(spec, 3)), 2);
  std::vector<Query> queries = make_queries(spec, 10);
  queries[4].question = "who?";
  std::vector<Result<Reading>> answers(queries.size());
  batch.read(queries, {}, answers);
  for (std::size_t i = 0; i < queries.size(); ++i) EXPECT_EQ(answers[i].has_value(), i != 4);
  queries[4].question.clear();
  batch.read(queries, {}, answers);
  EXPECT_TRUE(answers[4].has_value());
}

TEST(Batch, ReportsOutOfMemoryPerQuery) {
  const ModelSpec spec = all_model_specs().front();
  Batch batch(load_model(random_draft(spec, 7)), 2);
  std::vector<Query> queries = make_queries(spec, 10);
  queries[4].text = random_text(spec, 100'000, 7);
  std::vector<Result<Reading>> answers(queries.size());
  {
    // The words of the long text exceed the limit.
    const MemoryLimit limit(1'000'000);
    batch.read(queries, {}, answers);
  }
  for (std::size_t i = 0; i < queries.size(); ++i) EXPECT_EQ(answers[i].has_value(), i != 4);
  EXPECT_EQ(answers[4].error().message, "out of memory");
  batch.read(queries, {}, answers);
  EXPECT_TRUE(answers[4].has_value());
}

TEST(Batch, AcceptsNoQueries) {
  Batch batch(load_model(random_draft(all_model_specs().front(), 4)), 2);
  batch.read({}, {}, {});
}

TEST(Batch, UsesOneThreadPerCoreByDefault) {
  EXPECT_GE(Batch(load_model(random_draft(all_model_specs().front(), 5)), 0).threads(), 1);
}

TEST(Batch, IsMovable) {
  const ModelSpec spec = all_model_specs().front();
  Batch first(load_model(random_draft(spec, 6)), 2);
  Batch second = std::move(first);
  const std::vector<Query> queries = make_queries(spec, 5);
  std::vector<Result<Reading>> answers(queries.size());
  second.read(queries, {}, answers);
  EXPECT_TRUE(answers[4].has_value());
}

}  // namespace
}  // namespace skim
