#include "skim/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "readers/gathered_reader.h"
#include "runtime/query_source.h"
#include "runtime/text_gatherer.h"
#include "skim/session.h"
#include "tests/laws/batch_specs.h"
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

TEST(Batch, DetailAnswerGivesTheSameAnswersAndNothingElse) {
  for (const ModelSpec& spec : sampled_model_specs(29)) {
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 2));
    const std::vector<Query> queries = make_queries(spec, 30);
    Batch batch(model, 2);
    std::vector<Result<Reading>> full(queries.size()), answers(queries.size());
    batch.read(queries, {}, full);
    batch.read(queries, {}, answers);  // what an earlier call has left must go
    batch.read(queries, {}, answers, Detail::answer);
    Session session(model);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      Reading alone;
      ASSERT_TRUE(session.read(queries[i], {}, alone, Detail::answer));
      for (const Reading* reading : {&*answers[i], &alone}) {
        EXPECT_EQ(reading->answer.text, full[i]->answer.text);
        EXPECT_EQ(reading->scores, full[i]->scores);
        EXPECT_EQ(reading->logits, full[i]->logits);
        EXPECT_TRUE(reading->words.empty() && reading->trace.empty());
        EXPECT_EQ(reading->costs, Costs{});
      }
    }
  }
}

#ifdef SKIM_SANITIZED
constexpr std::size_t kEveryNthSpec = 7;
#else
constexpr std::size_t kEveryNthSpec = 1;
#endif

// Lengths around those of blocks and chunks, in an order that depends on `seed`.
std::vector<std::size_t> mixed_lengths(std::uint64_t seed) {
  std::vector<std::size_t> lengths = {0,   1,   2,   3,    7,    15,   16,   17,  31,
                                      100, 127, 128, 129,  200,  255,  256,  257, 300,
                                      511, 513, 900, 1023, 1024, 1025, 3000, 0,   1};
  for (std::size_t i = 0; i < 12; ++i) lengths.push_back(i * 11);
  std::shuffle(lengths.begin(), lengths.end(), std::mt19937_64(seed));
  return lengths;
}

void expect_bits_or_error(const Result<Reading>& expected, const Result<Reading>& got) {
  ASSERT_EQ(expected.has_value(), got.has_value());
  if (!expected) {
    EXPECT_EQ(expected.error().message, got.error().message);
    return;
  }
  expect_same(expected, got);
  EXPECT_EQ(expected->logits, got->logits);
  EXPECT_EQ(expected->question_words, got->question_words);
  EXPECT_EQ(expected->answer.score, got->answer.score);
  EXPECT_EQ(expected->answer.text, got->answer.text);
}

// A classifier takes no question, so some queries are errors.
std::vector<Query> mixed_queries(const ModelSpec& spec, std::uint64_t seed) {
  std::vector<Query> queries = queries_of_lengths(spec, mixed_lengths(seed));
  for (std::size_t i = seed % 4; i < queries.size(); i += 9) queries[i].question = "who?";
  return queries;
}

class MixedBatch : public testing::TestWithParam<std::size_t> {};

TEST_P(MixedBatch, ReadingsEqualThoseOfSingleTextsBitForBit) {
  const std::vector<ModelSpec> specs = batch_specs();
  for (std::size_t which = GetParam(); which < specs.size(); which += 2 * kEveryNthSpec) {
    SCOPED_TRACE(describe(specs[which]));
    const Model model = load_model(random_draft(specs[which], which));
    const std::vector<Query> queries = mixed_queries(specs[which], which);
    const Policy policy{.threshold = which % 3 == 0 ? 0.3F : 0.5F};
    Session session(model);
    std::vector<Result<Reading>> expected;
    for (const Query& query : queries) expected.push_back(session.read(query, policy));
    for (const int threads : {1, 2, 4}) {
      Batch batch(model, threads);
      std::vector<Result<Reading>> answers(queries.size());
      for (int pass = 0; pass < 2; ++pass) {
        batch.read(queries, policy, answers);
        for (std::size_t i = 0; i < queries.size(); ++i)
          ASSERT_NO_FATAL_FAILURE(expect_bits_or_error(expected[i], answers[i])) << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Halves, MixedBatch, testing::Values(0U, 1U));

TEST(SessionBatch, EveryTextHasItsOwnPolicy) {
  const ModelSpec spec = batch_spec(ReaderKind::skim, Cell::lstm, Pooling::max, WeightType::f32);
  const Model model = load_model(random_draft(spec, 8));
  const std::vector<Query> queries = mixed_queries(spec, 8);
  std::vector<Policy> policies(queries.size());
  for (std::size_t i = 0; i < policies.size(); ++i) {
    policies[i].threshold = static_cast<float>(i % 6) / 4;  // some are above 1: an error
    if (i % 5 == 1) policies[i] = {.rule = Policy::Rule::sample, .seed = i};
  }
  Session session(model), single(model);
  std::vector<Result<Reading>> answers(queries.size());
  session.read(queries, policies, answers);
  for (std::size_t i = 0; i < queries.size(); ++i)
    expect_bits_or_error(single.read(queries[i], policies[i]), answers[i]);
}

// Records what has been read whenever it is asked for another query.
class RecordingSource final : public QuerySource {
 public:
  RecordingSource(std::span<const Query> queries, std::size_t watched)
      : queries_(queries), watched_(watched), readings_(queries.size()) {}

  bool next(QueryTask& task) noexcept override {
    if (taken_ == queries_.size()) return false;
    if (is_read(watched_)) ++asked_after_watched_;
    task = {&queries_[taken_], {}, &readings_[taken_]};
    ++taken_;
    return true;
  }

  bool is_read(std::size_t i) const {
    return readings_[i].has_value() && !readings_[i]->scores.empty();
  }
  // Queries that were asked for when the watched one had been read.
  std::size_t asked_after_watched() const { return asked_after_watched_; }

 private:
  std::span<const Query> queries_;
  std::size_t watched_;
  std::vector<Result<Reading>> readings_;
  std::size_t taken_ = 0;
  std::size_t asked_after_watched_ = 0;
};

TEST(TextGatherer, AVeryLongTextDoesNotHoldUpShortOnes) {
  for (const WeightType weights : {WeightType::f32, WeightType::int8}) {
    for (const ReaderKind kind : {ReaderKind::skim, ReaderKind::dense}) {
      const ModelSpec spec = batch_spec(kind, Cell::lstm, Pooling::last, weights);
      std::vector<std::size_t> lengths(300, 10);
      lengths[3] = 3000;
      const std::vector<Query> queries = queries_of_lengths(spec, lengths);
      const Model model = load_model(random_draft(spec, 4));
      RecordingSource source(queries, 3);
      const auto gatherer = TextGatherer::create(model);
      if (gatherer == nullptr) GTEST_SKIP() << "the small cell needs vectors of several units";
      gatherer->read(source, GatheredReader::kSlots);
      EXPECT_TRUE(source.is_read(3));
      EXPECT_EQ(source.asked_after_watched(), 0U) << "all short ones were taken before";
    }
  }
}

// The converse: short texts that keep coming do not hold up a text that is in flight.
TEST(TextGatherer, ManyTextsDoNotHoldUpOneInFlight) {
  const ModelSpec spec = batch_spec(ReaderKind::skim, Cell::lstm, Pooling::last, WeightType::f32);
  std::vector<std::size_t> lengths(400, 60);
  lengths[3] = 120;
  const std::vector<Query> queries = queries_of_lengths(spec, lengths);
  const Model model = load_model(random_draft(spec, 4));
  RecordingSource source(queries, 3);
  const auto gatherer = TextGatherer::create(model);
  if (gatherer == nullptr) GTEST_SKIP() << "the small cell needs vectors of several units";
  gatherer->read(source, GatheredReader::kSlots);
  EXPECT_GT(source.asked_after_watched(), 300U);
}

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
