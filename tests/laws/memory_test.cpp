// What happens when memory runs out: nothing crashes, and what comes after is correct.
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "skim/batch.h"
#include "skim/session.h"
#include "tests/laws/counting_new.h"
#include "tests/support/model_specs.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

// A spec of every net and reader.
std::vector<ModelSpec> specs_to_starve() {
  std::vector<ModelSpec> specs = sampled_model_specs(97);
  for (const NetKind net : {NetKind::classifier, NetKind::cloze, NetKind::span, NetKind::bidaf}) {
    for (const ReaderKind kind : {ReaderKind::skim, ReaderKind::vcrnn, ReaderKind::skip_rnn}) {
      ModelSpec spec;
      spec.net = net;
      spec.embedding_size = 7;
      spec.char_cnn = {.embedding_size = 3, .num_filters = 6, .kernel_size = 5};
      spec.reader.kind = kind;
      spec.reader.hidden_size = 11;
      spec.reader.skim_sizes.clear();
      if (kind == ReaderKind::skim) spec.reader.skim_sizes = {4};
      spec.bidirectional = net != NetKind::classifier;
      specs.push_back(spec);
    }
  }
  return specs;
}

Query query_for(const ModelSpec& spec, std::uint64_t seed) {
  Query query{random_text(spec, 40, seed), {}, {}};
  if (spec.net != NetKind::classifier) query.question = random_text(spec, 6, seed + 1);
  if (spec.net == NetKind::cloze)
    query.choices = {random_text(spec, 1, 3), random_text(spec, 1, 4)};
  return query;
}

void expect_equal(const Reading& got, const Reading& expected) {
  EXPECT_EQ(got.scores, expected.scores);
  EXPECT_EQ(got.answer.text, expected.answer.text);
  EXPECT_EQ(got.words, expected.words);
  EXPECT_EQ(got.costs, expected.costs);
}

// Whether reading fails when its n-th allocation does. The session must be as good as new then.
bool fails_at(std::size_t n, const Model& model, const Query& first, const Query& second) {
  Session session(model);
  Reading reading;
  bool failed = false;
  for (const Query& query : {first, second}) {
    try {
      std::optional<FailingAllocation> failing;
      if (!failed) failing.emplace(n);
      EXPECT_TRUE(session.read(query, {}, reading).has_value());
      failing.reset();
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    expect_equal(*session.read(query), *Session(model).read(query));
  }
  return failed;
}

TEST(MemoryLaws, ASessionThatRanOutOfMemoryReadsTheNextTextCorrectly) {
  for (const ModelSpec& spec : specs_to_starve()) {
    SCOPED_TRACE(describe(spec));
    const Model model = load_model(random_draft(spec, 31));
    const Query first = query_for(spec, 5), second = query_for(spec, 6);
    std::size_t n = 1;
    while (n < 1000 && fails_at(n, model, first, second)) ++n;
    EXPECT_GT(n, 5U);
    EXPECT_LT(n, 1000U);
  }
}

TEST(MemoryLaws, ABatchWhoseThreadsDoNotAllFitHasFewerThreads) {
  const ModelSpec spec = sampled_model_specs(1).front();
  const Model model = load_model(random_draft(spec, 7));
  const std::vector<Query> queries(8, query_for(spec, 1));
  int smallest = 4;
  for (std::size_t n = 1; n < 400; ++n) {
    std::optional<Batch> batch;
    try {
      const FailingAllocation failing(n);
      batch.emplace(model, 4);
    } catch (const std::bad_alloc&) {
      continue;  // no memory for the first session
    }
    smallest = std::min(smallest, batch->threads());
    std::vector<Result<Reading>> answers(queries.size());
    batch->read(queries, {}, answers);
    for (const Result<Reading>& answer : answers)
      expect_equal(answer.value(), Session(model).read(queries[0]).value());
  }
  EXPECT_EQ(smallest, 1);
}

// A destructor that runs out of memory ends the program.
TEST(MemoryLaws, DestroyingAJsonDocumentAllocatesNothing) {
  auto document = std::make_unique<Json>(
      Json{{"name", std::string(100, 'a')}, {"list", {1, {{"x", {2, 3}}}, "text"}}});
  const std::size_t before = allocations();
  document.reset();
  EXPECT_EQ(allocations(), before);
}

#ifdef NDEBUG  // The JSON library asserts that an object has content, which is not so here.
TEST(MemoryLaws, AJsonValueWithoutMemoryForItsContentCanBeDestroyed) {
  Json value;
  {
    const FailingAllocation failing(1);
    EXPECT_THROW(value["name"] = 1, std::bad_alloc);
  }
  EXPECT_TRUE(value.is_object());
}
#endif

// With each limit it lacks another of its buffers.
TEST(MemoryLaws, AJsonParserThatRanOutOfMemoryParsesTheNextDocument) {
  const std::string document = "{\"text\": \"" + std::string(5000, 'a') + "\"}";
  for (std::size_t n = 1; n < 20; ++n) {
    JsonParser parser;
    try {
      const FailingAllocation failing(n);
      EXPECT_TRUE(parser.parse(document, "document").has_value());
    } catch (const std::bad_alloc&) {
      // The document itself did not fit.
    }
    const auto parsed = parser.parse(document, "document");
    ASSERT_TRUE(parsed.has_value()) << n;
    EXPECT_EQ(parsed->at("text").get<std::string>().size(), 5000U);
  }
}

}  // namespace
}  // namespace skim
