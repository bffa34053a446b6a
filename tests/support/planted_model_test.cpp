#include "tests/support/planted_model.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "skim/batch.h"
#include "skim/verify.h"
#include "spec/names.h"
#include "tests/generated/planted.h"
#include "tests/support/shapes.h"

namespace skim {
namespace {

struct Outcome {
  double accuracy = 0;
  double skim_rate = 0;
};

struct Questions {
  std::vector<Query> queries;
  std::vector<int> truth;
};

Questions questions(const PlantedOptions& task, std::size_t examples) {
  Questions made;
  for (std::size_t i = 0; i < examples; ++i) {
    PlantedText text = planted_text(task, i);
    made.queries.push_back({std::move(text.text), {}, {}});
    made.truth.push_back(text.label);
  }
  return made;
}

Outcome measure(const Model& model, const Questions& asked, Policy policy = {}) {
  const std::size_t examples = asked.queries.size();
  std::vector<Result<Reading>> answers(examples);
  Batch(model, 0).ask(asked.queries, policy, answers);
  Outcome outcome;
  for (std::size_t i = 0; i < examples; ++i) {
    outcome.accuracy += answers[i]->answer.index == asked.truth[i] ? 1 : 0;
    outcome.skim_rate += skim_rate(answers[i]->trace);
  }
  outcome.accuracy /= static_cast<double>(examples);
  outcome.skim_rate /= static_cast<double>(examples);
  return outcome;
}

Model planted(const PlantedModelOptions& options) {
  const Result<ModelDraft> draft = planted_draft(options);
  EXPECT_TRUE(draft.has_value()) << draft.error().message;
  return model_of(*draft);
}

void expect_solved(const PlantedModelOptions& options, const PlantedOptions& task) {
  const Model model = planted(options);
  SCOPED_TRACE(describe(model.spec()));
  const Outcome outcome = measure(model, questions(task, 500));
  EXPECT_GE(outcome.accuracy, 0.95);
  if (options.kind == ReaderKind::full) return;
  EXPECT_GE(outcome.skim_rate, 0.80);
  EXPECT_LE(outcome.skim_rate, 0.93);
}

TEST(PlantedModel, SolvesItsTaskWithEveryCellAndPooling) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    for (const Pooling pooling : {Pooling::last, Pooling::max, Pooling::mean, Pooling::attention}) {
      expect_solved({.cell = cell, .hidden = 40, .pooling = pooling, .word_width = 20},
                    {.seed = 5, .negators = cell != Cell::rnn});
    }
  }
}

TEST(PlantedModel, SolvesItsTaskInLayersAndBothWays) {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    for (const bool both : {false, true}) {
      for (const Pooling pooling : {Pooling::last, Pooling::mean}) {
        expect_solved({.cell = cell,
                       .hidden = 30,
                       .layers = 2,
                       .bidirectional = both,
                       .pooling = pooling,
                       .word_width = 20},
                      {.seed = 5});
      }
    }
  }
}

TEST(PlantedModel, SolvesItsTaskWithSkippingAndManyLevels) {
  for (const std::vector<int>& small :
       std::vector<std::vector<int>>{{0}, {10, 0}, {16, 8}, {12, 6, 0}}) {
    expect_solved({.hidden = 30, .small = small, .word_width = 20}, {.seed = 5});
  }
}

TEST(PlantedModel, SolvesItsTaskAsAPlainReader) {
  expect_solved({.kind = ReaderKind::full, .hidden = 30, .word_width = 20}, {.seed = 5});
}

#ifndef SKIM_SANITIZED  // statistics over 400,000 readings of code that other tests run sanitized
// What smaller weights change, on average over models: in a single one a threshold may fall on one
// of its few words. The models are wrong about words, so that their task is not saturated.
class SmallerWeights : public testing::TestWithParam<Cell> {
 protected:
  static constexpr std::uint64_t kModels = 4;

  void compare(float threshold) {
    const Policy policy{.read_above = threshold};
    Outcome change[2];
    for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
      PlantedModelOptions options{.cell = GetParam(), .misjudged = 0.5F, .seed = seed};
      const Outcome exact = measure(planted(options), asked_, policy);
      EXPECT_GT(exact.accuracy, 0.75);
      EXPECT_LT(exact.accuracy, 0.99);
      for (std::size_t i = 0; i < 2; ++i) {
        options.weights = kTypes[i];
        const Outcome rounded = measure(planted(options), asked_, policy);
        change[i].accuracy += (rounded.accuracy - exact.accuracy) / kModels;
        change[i].skim_rate += (rounded.skim_rate - exact.skim_rate) / kModels;
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      SCOPED_TRACE(std::string(name_of(kTypes[i])) + " at " + std::to_string(threshold));
      EXPECT_NEAR(change[i].accuracy, 0, 0.002);
      EXPECT_NEAR(change[i].skim_rate, 0, 0.01);
    }
  }

 private:
  static constexpr WeightType kTypes[] = {WeightType::bf16, WeightType::int8};
  const Questions asked_ = questions({.seed = 6}, 6000);
};

TEST_P(SmallerWeights, ChangeLittle) {
  for (const float threshold : {0.2F, 0.5F, 0.9F}) compare(threshold);
}

INSTANTIATE_TEST_SUITE_P(Cells, SmallerWeights, testing::Values(Cell::lstm, Cell::gru));
#endif

TEST(PlantedModel, StoresProbesThatItPasses) {
  for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
    const Result<VerifyReport> report = verify(planted({.weights = weights}));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->probes, 4);
    EXPECT_TRUE(report->ok()) << report->messages.front();
  }
}

TEST(PlantedModel, IsCalibratedSoThatABudgetGivesAThreshold) {
  const Model model = planted({});
  const Result<float> little = model.threshold_for(0.2);
  const Result<float> much = model.threshold_for(0.8);
  ASSERT_TRUE(little.has_value()) << little.error().message;
  ASSERT_TRUE(much.has_value()) << much.error().message;
  EXPECT_GT(*little, *much);
}

TEST(PlantedModel, FillsItsVocabularyUp) {
  EXPECT_EQ(planted({.hidden = 30, .word_width = 8, .vocabulary = 5000}).spec().vocabulary, 5000);
}

TEST(PlantedModel, SaysWhatItCannotBe) {
  EXPECT_FALSE(planted_draft({.hidden = 12}).has_value());
  EXPECT_FALSE(planted_draft({.small = {3}}).has_value());
  EXPECT_FALSE(planted_draft({.small = {0}, .pooling = Pooling::mean}).has_value());
  EXPECT_FALSE(planted_draft({.cell = Cell::rnn, .weights = WeightType::int8}).has_value());
  EXPECT_FALSE(planted_draft({.word_width = 3}).has_value());
}

}  // namespace
}  // namespace skim
