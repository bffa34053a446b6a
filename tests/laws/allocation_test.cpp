// Reading allocates nothing once its memory has grown.
#include <gtest/gtest.h>

#include <new>
#include <string>

#include "skim/session.h"
#include "tests/laws/counting_new.h"
#include "tests/support/planted_model.h"
#include "tests/support/random_draft.h"
#include "tests/support/shapes.h"

namespace skim {
namespace {

TEST(CountingNew, CountsEveryKind) {
  const std::size_t before = allocations();
  ::operator delete(::operator new(3));
  ::operator delete[](::operator new[](3));
  ::operator delete (::operator new (3, std::align_val_t{64}), std::align_val_t{64});
  EXPECT_EQ(allocations(), before + 3);
}

std::size_t allocations_of_ask(const Model& model, const std::string& longer,
                               const std::string& shorter) {
  Session session(model);
  Reading reading;
  const Query warm{longer, {}, {}};
  const Query next{shorter, {}, {}};
  EXPECT_TRUE(session.ask(warm, {}, reading).has_value());
  // Again: the first reading may have filled word tables.
  EXPECT_TRUE(session.ask(next, {}, reading).has_value());
  EXPECT_TRUE(session.ask(warm, {.read_above = 0}, reading).has_value());
  const std::size_t before = allocations();
  EXPECT_TRUE(session.ask(next, {}, reading).has_value());
  EXPECT_TRUE(session.ask(warm, {}, reading).has_value());
  EXPECT_TRUE(session.ask(warm, {.rule = Policy::Rule::sample, .seed = 3}, reading).has_value());
  return allocations() - before;
}

TEST(AllocationLaws, AskingAgainAllocatesNothing) {
  for (const ModelSpec& spec : shapes(11)) {
    SCOPED_TRACE(describe(spec));
    for (const std::size_t table_bytes : {std::size_t{0}, std::size_t{1} << 20}) {
      const Model model = model_of(random_draft(spec, 31), {.table_bytes = table_bytes});
      EXPECT_EQ(allocations_of_ask(model, random_text(spec, 1100, 31), random_text(spec, 40, 32)),
                0U);
    }
  }
}

TEST(AllocationLaws, AskingAgainAllocatesNothingWithSmallerWeights) {
  for (const WeightType weights : {WeightType::bf16, WeightType::int8}) {
    PlantedModelOptions options;
    options.weights = weights;
    const Model model = model_of(planted_draft(options).value());
    EXPECT_EQ(
        allocations_of_ask(model, "A wonderful film, but the ending wasn't good at all.", "Dull."),
        0U);
  }
}

TEST(AllocationLaws, ReadingFewerWordsThanBeforeNeedsNoMoreMemory) {
  // The log grows with what was read, so the first text read in full may need more than a skimmed
  // one; a text as long under the same policy never does.
  const Model model = model_of(planted_draft({}).value());
  Session session(model);
  Reading reading;
  const Query query{"The plot was superb and the cast was not bad.", {}, {}};
  EXPECT_TRUE(session.ask(query, {}, reading).has_value());
  const std::size_t before = allocations();
  EXPECT_TRUE(session.ask(query, {}, reading).has_value());
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace skim
