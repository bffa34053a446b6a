// Memory of batches: what a thread needs, that it is reused, and what happens when it runs out.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "readers/gathered_reader.h"
#include "skim/batch.h"
#include "skim/session.h"
#include "spec/names.h"
#include "tests/laws/batch_specs.h"
#include "tests/laws/counting_new.h"
#include "tests/support/model_specs.h"

namespace skim {
namespace {

constexpr std::size_t kSlots = GatheredReader::kSlots;

using Readings = std::vector<Result<Reading>>;

std::vector<std::size_t> varied_lengths(std::size_t count, std::size_t longest) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < count; ++i) lengths.push_back(i * 37 % (longest + 1));
  return lengths;
}

long minor_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

// The kernel moves or merges pages of its own accord now and then, so the best of several passes
// counts: a batch that touched new memory would fault in each of them.
TEST(BatchMemory, RereadingABatchCausesNoPageFaults) {
  for (const Pooling pooling : {Pooling::last, Pooling::max, Pooling::attention}) {
    const ModelSpec spec = paper_spec(ReaderKind::skim, pooling);
    Batch batch(load_model(random_draft(spec, 3)), 1);
    const std::vector<Query> queries = queries_of_lengths(spec, varied_lengths(128, 300));
    Readings readings(queries.size());
    batch.read(queries, {}, readings);
    long fewest = minor_faults();
    for (int pass = 0; pass < 5; ++pass) {
      const long before = minor_faults();
      batch.read(queries, {}, readings);
      fewest = std::min(fewest, minor_faults() - before);
    }
    EXPECT_EQ(fewest, 0);
  }
}

struct ThreadMemory {
  std::size_t bytes = 0;
  std::size_t longest_log = 0;  // bytes of the state updates of a text
};

// What a thread allocates for texts of up to 1,000 words beyond model, tables and readings.
ThreadMemory measure_thread(const ModelSpec& spec, Policy policy) {
  const Model model = load_model(random_draft(spec, 5));
  const std::vector<Query> queries =
      queries_of_lengths(spec, std::vector<std::size_t>(2 * kSlots, 1000));
  Readings readings(queries.size());
  Batch(model, 1).read(queries, policy, readings);  // fills tables and readings
  ThreadMemory memory;
  const std::size_t before = allocated_bytes();
  Batch batch(model, 1);
  batch.read(queries, policy, readings);
  memory.bytes = allocated_bytes() - before;
  for (const Result<Reading>& reading : readings) {
    std::size_t updates = 0;
    for (const Step& step : reading->trace.front().steps) updates += step.width;
    memory.longest_log = std::max(memory.longest_log, updates * sizeof(float));
  }
  return memory;
}

TEST(BatchMemory, AThreadNeedsLessThanTwoMegabytes) {
  for (const ReaderKind kind : {ReaderKind::skim, ReaderKind::dense}) {
    const ThreadMemory memory = measure_thread(paper_spec(kind, Pooling::last), {});
    RecordProperty("bytes_" + std::string(to_string(kind)), static_cast<int>(memory.bytes));
    EXPECT_LT(memory.bytes, 2'000'000U);
  }
}

// Pooling over all states needs the state updates of every text in flight. Buffers double as they
// grow, and have room for the updates of the next 128 words.
TEST(BatchMemory, AThreadThatPoolsNeedsTheUpdatesOfItsTextsAsWell) {
  for (const Pooling pooling : {Pooling::max, Pooling::mean, Pooling::attention}) {
    for (const float threshold : {0.0F, 0.5F, 1.0F}) {
      const ThreadMemory memory =
          measure_thread(paper_spec(ReaderKind::skim, pooling), {.threshold = threshold});
      RecordProperty("bytes_" + std::string(to_string(pooling)) + "_" + std::to_string(threshold),
                     static_cast<int>(memory.bytes));
      const std::size_t room = std::size_t{128} * 100 * sizeof(float);
      EXPECT_LT(memory.bytes, 2'000'000 + kSlots * 2 * (memory.longest_log + room));
    }
  }
}

void expect_same(const Reading& expected, const Reading& got) {
  EXPECT_EQ(expected.scores, got.scores);
  EXPECT_EQ(expected.words, got.words);
  EXPECT_EQ(expected.trace.front().steps, got.trace.front().steps);
}

// Returns the number of errors, which all must be for lack of memory.
std::size_t check_readings(const Readings& expected, const Readings& got) {
  std::size_t errors = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i]) {
      expect_same(*expected[i], *got[i]);
    } else {
      ++errors;
      EXPECT_EQ(got[i].error().message, "out of memory");
    }
  }
  return errors;
}

struct StarvedBatch {
  Model model;
  std::vector<Query> queries;
  Readings expected;
};

StarvedBatch make_starved_batch(const ModelSpec& spec) {
  StarvedBatch starved{
      load_model(random_draft(spec, 9)), queries_of_lengths(spec, varied_lengths(24, 150)), {}};
  Session session(starved.model);
  for (const Query& query : starved.queries) starved.expected.push_back(session.read(query));
  return starved;
}

#ifdef SKIM_SANITIZED
constexpr std::size_t kStarvingStep = 23;
#else
constexpr std::size_t kStarvingStep = 5;
#endif

// Fails one allocation of each call of `read`, another one each time, until it needs fewer.
template <class Read>
void starve(const StarvedBatch& starved, const Read& read) {
  std::size_t failures = 0;
  for (std::size_t n = 1; n < 5000; n += kStarvingStep) {
    Readings readings(starved.queries.size());
    const std::size_t before = allocations();
    const std::size_t errors = read(n, readings);
    EXPECT_LE(errors, 1U) << n;
    failures += errors;
    if (errors == 0 && allocations() < before + n) break;
  }
  EXPECT_GT(failures, 100 / kStarvingStep);
}

std::vector<ModelSpec> batch_specs_to_starve() {
  return {batch_spec(ReaderKind::skim, Cell::lstm, Pooling::last, WeightType::f32),
          batch_spec(ReaderKind::skim, Cell::gru, Pooling::attention, WeightType::int8),
          batch_spec(ReaderKind::dense, Cell::lstm, Pooling::max, WeightType::bf16)};
}

TEST(BatchMemory, AFailedAllocationIsAnErrorOfOneTextOnly) {
  for (const ModelSpec& spec : batch_specs_to_starve()) {
    SCOPED_TRACE(describe(spec));
    const StarvedBatch starved = make_starved_batch(spec);
    for (const int threads : {1, 2}) {
      starve(starved, [&](std::size_t n, Readings& readings) {
        Batch batch(starved.model, threads);
        {
          const FailingAllocation failing(n);
          batch.read(starved.queries, {}, readings);
        }
        const std::size_t errors = check_readings(starved.expected, readings);
        batch.read(starved.queries, {}, readings);
        EXPECT_EQ(check_readings(starved.expected, readings), 0U);
        return errors;
      });
    }
  }
}

// The first call allocates the memory of all slots, which may fail as a whole.
TEST(BatchMemory, ASessionThatRanOutOfMemoryReadsTheNextBatch) {
  for (const ModelSpec& spec : batch_specs_to_starve()) {
    SCOPED_TRACE(describe(spec));
    const StarvedBatch starved = make_starved_batch(spec);
    const std::vector<Policy> policies(starved.queries.size());
    starve(starved, [&](std::size_t n, Readings& readings) {
      Session session(starved.model);
      std::size_t errors = 1;
      try {
        const FailingAllocation failing(n);
        session.read(starved.queries, policies, readings);
        errors = check_readings(starved.expected, readings);
      } catch (const std::bad_alloc&) {
        // No memory for the slots.
      }
      session.read(starved.queries, policies, readings);
      EXPECT_EQ(check_readings(starved.expected, readings), 0U);
      return errors;
    });
  }
}

}  // namespace
}  // namespace skim
