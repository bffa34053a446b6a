#include "skim/batch.h"

#include <gtest/gtest.h>

#include <vector>

#include "skim/session.h"
#include "tests/laws/counting_new.h"
#include "tests/support/random_draft.h"
#include "tests/support/shapes.h"

namespace skim {
namespace {

std::vector<Query> queries_of(const ModelSpec& spec, std::size_t count) {
  std::vector<Query> queries;
  for (std::size_t i = 0; i < count; ++i) {
    queries.push_back({random_text(spec, (i * 7) % 90, i), {}, {}});
  }
  return queries;
}

void expect_same(const Result<Reading>& wanted, const Result<Reading>& got) {
  ASSERT_TRUE(wanted.has_value());
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(wanted->scores, got->scores);
  EXPECT_EQ(wanted->answer.index, got->answer.index);
  EXPECT_EQ(wanted->words, got->words);
  EXPECT_EQ(wanted->costs, got->costs);
  ASSERT_EQ(wanted->trace.size(), got->trace.size());
  for (std::size_t i = 0; i < wanted->trace.size(); ++i) {
    EXPECT_EQ(wanted->trace[i].steps, got->trace[i].steps);
  }
}

// In two parts, for two cores: it is most of the time that looking for races takes.
class BatchOfShapes : public testing::TestWithParam<std::size_t> {};

TEST_P(BatchOfShapes, AnswersInOrderAndAlikeForAnyNumberOfThreads) {
  const std::vector<ModelSpec> all = shapes(23);
  for (std::size_t which = GetParam(); which < all.size(); which += 2) {
    const ModelSpec& spec = all[which];
    SCOPED_TRACE(describe(spec));
    const ModelDraft draft = random_draft(spec, 1);
    const std::vector<Query> queries = queries_of(spec, 60);
    Session session(model_of(draft));
    std::vector<Result<Reading>> wanted;
    for (const Query& query : queries) wanted.push_back(session.ask(query));
    for (const int threads : {1, 2, 4}) {
      // A fresh model each time: its tables are filled by all threads at once.
      Batch batch(model_of(draft), threads);
      EXPECT_EQ(batch.threads(), threads);
      std::vector<Result<Reading>> answers(queries.size());
      batch.ask(queries, {}, answers);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        expect_same(wanted[i], answers[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Halves, BatchOfShapes, testing::Values(0U, 1U));

TEST(Batch, CanBeAskedAgainIntoTheSameReadings) {
  const ModelSpec spec = every_shape().back();
  const Model model = model_of(random_draft(spec, 2));
  Batch batch(model, 3);
  const std::vector<Query> queries = queries_of(spec, 20);
  std::vector<Result<Reading>> answers(queries.size());
  for (int round = 0; round < 50; ++round) {
    batch.ask(queries, {.read_above = round % 2 == 0 ? 0.5F : 0.1F}, answers);
  }
  Session session(model);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    expect_same(session.ask(queries[i], {.read_above = 0.1F}), answers[i]);
  }
}

TEST(Batch, PutsAnErrorInTheFailedAnswersPlaceAndGoesOn) {
  const ModelSpec spec = every_shape().front();
  Batch batch(model_of(random_draft(spec, 3)), 2);
  std::vector<Query> queries = queries_of(spec, 10);
  queries[4].question = "who?";
  std::vector<Result<Reading>> answers(queries.size());
  batch.ask(queries, {}, answers);
  for (std::size_t i = 0; i < queries.size(); ++i) EXPECT_EQ(answers[i].has_value(), i != 4);
  queries[4].question.clear();
  batch.ask(queries, {}, answers);
  EXPECT_TRUE(answers[4].has_value());
}

TEST(Batch, TurnsALackOfMemoryIntoAnErrorAndGoesOn) {
  const ModelSpec spec = every_shape().front();
  Batch batch(model_of(random_draft(spec, 7)), 2);
  std::vector<Query> queries = queries_of(spec, 10);
  queries[4].text = random_text(spec, 100'000, 7);
  std::vector<Result<Reading>> answers(queries.size());
  {
    // The words of the long text alone take more.
    const MemoryLimit limit(1'000'000);
    batch.ask(queries, {}, answers);
  }
  for (std::size_t i = 0; i < queries.size(); ++i) EXPECT_EQ(answers[i].has_value(), i != 4);
  EXPECT_EQ(answers[4].error().message, "out of memory");
  batch.ask(queries, {}, answers);
  EXPECT_TRUE(answers[4].has_value());
}

TEST(Batch, OfNoQueriesReturnsAtOnce) {
  Batch batch(model_of(random_draft(every_shape().front(), 4)), 2);
  batch.ask({}, {}, {});
}

TEST(Batch, TakesOneThreadACoreWhenNotTold) {
  EXPECT_GE(Batch(model_of(random_draft(every_shape().front(), 5)), 0).threads(), 1);
}

TEST(Batch, CanMoveToAnotherOwner) {
  const ModelSpec spec = every_shape().front();
  Batch first(model_of(random_draft(spec, 6)), 2);
  Batch second = std::move(first);
  const std::vector<Query> queries = queries_of(spec, 5);
  std::vector<Result<Reading>> answers(queries.size());
  second.ask(queries, {}, answers);
  EXPECT_TRUE(answers[4].has_value());
}

}  // namespace
}  // namespace skim
