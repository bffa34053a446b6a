// Inference allocates nothing once its buffers have grown.
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "readers/gathered_reader.h"
#include "skim/batch.h"
#include "skim/layer.h"
#include "skim/session.h"
#include "spec/params.h"
#include "tests/laws/batch_specs.h"
#include "tests/laws/counting_new.h"
#include "tests/support/model_specs.h"
#include "tests/support/planted_model.h"
#include "tests/support/random_draft.h"

namespace skim {
namespace {

TEST(CountingNew, KnowsTheBytesThatAreAllocated) {
  const std::size_t before = allocated_bytes();
  void* memory = ::operator new(100'000);
  EXPECT_GE(allocated_bytes(), before + 100'000);
  EXPECT_LT(allocated_bytes(), before + 110'000);
  ::operator delete(memory);
  EXPECT_EQ(allocated_bytes(), before);
}

TEST(CountingNew, CountsEveryKindOfNew) {
  const std::size_t before = allocations();
  ::operator delete(::operator new(3));
  ::operator delete[](::operator new[](3));
  ::operator delete (::operator new (3, std::align_val_t{64}), std::align_val_t{64});
  EXPECT_EQ(allocations(), before + 3);
}

std::size_t count_read_allocations(const Model& model, const std::string& longer,
                                   const std::string& shorter) {
  Session session(model);
  Reading reading;
  const Query warm{longer, {}, {}};
  const Query next{shorter, {}, {}};
  EXPECT_TRUE(session.read(warm, {}, reading).has_value());
  // Twice: the first call fills the folded tables.
  EXPECT_TRUE(session.read(next, {}, reading).has_value());
  EXPECT_TRUE(session.read(warm, {.threshold = 0}, reading).has_value());
  const std::size_t before = allocations();
  EXPECT_TRUE(session.read(next, {}, reading).has_value());
  EXPECT_TRUE(session.read(warm, {}, reading).has_value());
  EXPECT_TRUE(session.read(warm, {.rule = Policy::Rule::sample, .seed = 3}, reading).has_value());
  return allocations() - before;
}

TEST(AllocationLaws, RepeatedReadsAllocateNothing) {
  for (const ModelSpec& spec : sampled_model_specs(11)) {
    SCOPED_TRACE(describe(spec));
    for (const std::size_t table_bytes : {std::size_t{0}, std::size_t{1} << 20}) {
      const Model model = load_model(random_draft(spec, 31), {.table_bytes = table_bytes});
      EXPECT_EQ(
          count_read_allocations(model, random_text(spec, 1100, 31), random_text(spec, 40, 32)),
          0U);
    }
  }
}

TEST(AllocationLaws, RepeatedReadsAllocateNothingWithQuantizedWeights) {
  for (const WeightType weights : {WeightType::bf16, WeightType::int8}) {
    PlantedModelOptions options;
    options.weight_type = weights;
    const Model model = load_model(planted_draft(options).value());
    EXPECT_EQ(count_read_allocations(model, "A wonderful film, but the ending wasn't good at all.",
                                     "Dull."),
              0U);
  }
}

TEST(AllocationLaws, RereadingATextAllocatesNothing) {
  // The update log grows with the number of reads, so only the same policy needs no more memory.
  const Model model = load_model(planted_draft({}).value());
  Session session(model);
  Reading reading;
  const Query query{"The plot was superb and the cast was not bad.", {}, {}};
  EXPECT_TRUE(session.read(query, {}, reading).has_value());
  const std::size_t before = allocations();
  EXPECT_TRUE(session.read(query, {}, reading).has_value());
  EXPECT_EQ(allocations(), before);
}

// Texts of several lengths, shorter than the longest one, in an order that changes with `seed`.
std::vector<Query> shuffled_queries(const ModelSpec& spec, std::size_t seed) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 50; ++i) lengths.push_back((i * 31 + seed * 17) % 200);
  return queries_of_lengths(spec, lengths);
}

struct BatchAllocations {
  std::size_t batch = 0;
  std::size_t session = 0;
};

// Counts the allocations after every slot has held the longest text.
BatchAllocations count_batch_allocations(const ModelSpec& spec) {
  const Model model = load_model(random_draft(spec, 17));
  Batch batch(model, 1);
  Session session(model);
  std::vector<Result<Reading>> readings(50);
  const std::vector<Query> longest = queries_of_lengths(spec, std::vector<std::size_t>(50, 200));
  const std::vector<Policy> read_all(longest.size(), Policy{.threshold = 0});
  batch.read(longest, read_all.front(), readings);
  session.read(longest, read_all, readings);
  BatchAllocations counts;
  for (const Policy policy : {Policy{}, Policy{.rule = Policy::Rule::sample, .seed = 3}}) {
    const std::vector<Query> queries = shuffled_queries(spec, policy.seed);
    const std::vector<Policy> policies(queries.size(), policy);
    std::size_t before = allocations();
    batch.read(queries, policy, readings);
    counts.batch += allocations() - before;
    before = allocations();
    session.read(queries, policies, readings);
    counts.session += allocations() - before;
  }
  return counts;
}

TEST(AllocationLaws, RepeatedBatchesAllocateNothing) {
  for (const ModelSpec& spec : batch_specs()) {
    SCOPED_TRACE(describe(spec));
    const BatchAllocations counts = count_batch_allocations(spec);
    EXPECT_EQ(counts.batch, 0U);
    EXPECT_EQ(counts.session, 0U);
  }
}

// The scheduler determines which slot of which thread gets a text, so that a slot may get its first
// one in a late pass. Then its memory has its final size, because all texts are the same.
TEST(AllocationLaws, BatchesOnSeveralThreadsAllocateOncePerSlot) {
  const ModelSpec spec =
      batch_spec(ReaderKind::skim, Cell::lstm, Pooling::attention, WeightType::f32);
  Batch batch(load_model(random_draft(spec, 17)), 3);
  const std::vector<Query> queries(50, {random_text(spec, 120, 1), {}, {}});
  std::vector<Result<Reading>> readings(queries.size());
  std::size_t passes_that_allocate = 0;
  for (int pass = 0; pass < 200; ++pass) {
    const std::size_t before = allocations();
    batch.read(queries, {}, readings);
    if (allocations() != before) ++passes_that_allocate;
  }
  EXPECT_LE(passes_that_allocate, 1 + 3 * GatheredReader::kSlots);
}

TEST(AllocationLaws, RepeatedLayerReadsAllocateNothing) {
  const ModelSpec spec = sampled_model_specs(1).front();
  const ModelDraft draft = random_draft(spec, 12);
  const std::string prefix = reader_prefix(0, false);
  std::vector<NamedTensor> tensors;
  for (const TensorSpec& expected : reader_tensors(spec.layer_reader(0))) {
    for (const ModelDraft::Tensor& tensor : draft.tensors)
      if (tensor.name == prefix + expected.name)
        tensors.push_back({expected.name, expected.shape, tensor.values});
  }
  const Layer layer = Layer::create(spec.layer_reader(0), tensors).value();
  const auto input = static_cast<std::size_t>(spec.layer_reader(0).input_size);
  const std::vector<float> rows(20 * input, 0.25F);
  std::vector<float> out(20 * static_cast<std::size_t>(spec.reader.hidden_size));
  LayerState state = layer.start();
  ASSERT_TRUE(layer.read(rows, {}, state, out, {}).has_value());
  const std::size_t before = allocations();
  ASSERT_TRUE(layer.read(rows, {}, state, out, {}).has_value());
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace skim
