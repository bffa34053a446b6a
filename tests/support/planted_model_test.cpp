#include "tests/support/planted_model.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "skim/batch.h"
#include "skim/verify.h"
#include "spec/names.h"
#include "tests/generated/planted.h"
#include "tests/support/model_specs.h"

namespace skim {
namespace {

struct Metrics {
  double accuracy = 0;
  double skim_rate = 0;
};

struct Dataset {
  std::vector<Query> queries;
  std::vector<int> truth;
};

Dataset make_dataset(const PlantedOptions& task, std::size_t examples) {
  Dataset dataset;
  for (std::size_t i = 0; i < examples; ++i) {
    PlantedText text = planted_text(task, i);
    dataset.queries.push_back({std::move(text.text), {}, {}});
    dataset.truth.push_back(text.label);
  }
  return dataset;
}

Metrics evaluate(const Model& model, const Dataset& dataset, Policy policy = {}) {
  const std::size_t examples = dataset.queries.size();
  std::vector<Result<Reading>> answers(examples);
  Batch(model, 0).read(dataset.queries, policy, answers);
  Metrics metrics;
  for (std::size_t i = 0; i < examples; ++i) {
    metrics.accuracy += answers[i]->answer.index == dataset.truth[i] ? 1 : 0;
    metrics.skim_rate += skim_rate(answers[i]->trace);
  }
  metrics.accuracy /= static_cast<double>(examples);
  metrics.skim_rate /= static_cast<double>(examples);
  return metrics;
}

Model planted_model(const PlantedModelOptions& options) {
  const Result<ModelDraft> draft = planted_draft(options);
  EXPECT_TRUE(draft.has_value()) << draft.error().message;
  return load_model(*draft);
}

void expect_solved(const PlantedModelOptions& options, const PlantedOptions& task) {
  const Model model = planted_model(options);
  SCOPED_TRACE(describe(model.spec()));
  const Metrics metrics = evaluate(model, make_dataset(task, 500));
  EXPECT_GE(metrics.accuracy, 0.95);
  if (options.kind == ReaderKind::dense) return;
  EXPECT_GE(metrics.skim_rate, 0.80);
  EXPECT_LE(metrics.skim_rate, 0.93);
}

TEST(PlantedModel, SolvesItsTaskWithEveryCellAndPooling) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    for (const Pooling pooling : {Pooling::last, Pooling::max, Pooling::mean, Pooling::attention}) {
      expect_solved({.cell = cell, .hidden_size = 40, .pooling = pooling, .embedding_size = 20},
                    {.seed = 5, .negators = cell != Cell::rnn});
    }
  }
}

TEST(PlantedModel, SolvesItsTaskWithSeveralLayersAndBothDirections) {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    for (const bool bidirectional : {false, true}) {
      for (const Pooling pooling : {Pooling::last, Pooling::mean}) {
        expect_solved({.cell = cell,
                       .hidden_size = 30,
                       .num_layers = 2,
                       .bidirectional = bidirectional,
                       .pooling = pooling,
                       .embedding_size = 20},
                      {.seed = 5});
      }
    }
  }
}

TEST(PlantedModel, SolvesItsTaskWithSkippingAndManyLevels) {
  for (const std::vector<int>& skim_sizes :
       std::vector<std::vector<int>>{{0}, {10, 0}, {16, 8}, {12, 6, 0}}) {
    expect_solved({.hidden_size = 30, .skim_sizes = skim_sizes, .embedding_size = 20}, {.seed = 5});
  }
}

TEST(PlantedModel, SolvesItsTaskAsADenseReader) {
  expect_solved({.kind = ReaderKind::dense, .hidden_size = 30, .embedding_size = 20}, {.seed = 5});
}

#ifndef SKIM_SANITIZED  // statistics over 400,000 readings of code that other tests run sanitized
// Effect of quantization, averaged over models: in a single one a threshold may coincide with one
// of its few words. The models have strength errors, so that the task is not saturated.
class QuantizedWeights : public testing::TestWithParam<Cell> {
 protected:
  static constexpr std::uint64_t kModels = 4;

  void compare(float threshold) {
    const Policy policy{.threshold = threshold};
    Metrics change[2];
    for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
      PlantedModelOptions options{.cell = GetParam(), .strength_error = 0.5F, .seed = seed};
      const Metrics exact = evaluate(planted_model(options), dataset_, policy);
      EXPECT_GT(exact.accuracy, 0.75);
      EXPECT_LT(exact.accuracy, 0.99);
      for (std::size_t i = 0; i < 2; ++i) {
        options.weight_type = kTypes[i];
        const Metrics quantized = evaluate(planted_model(options), dataset_, policy);
        change[i].accuracy += (quantized.accuracy - exact.accuracy) / kModels;
        change[i].skim_rate += (quantized.skim_rate - exact.skim_rate) / kModels;
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      SCOPED_TRACE(std::string(to_string(kTypes[i])) + " at " + std::to_string(threshold));
      EXPECT_NEAR(change[i].accuracy, 0, 0.002);
      EXPECT_NEAR(change[i].skim_rate, 0, 0.01);
    }
  }

 private:
  static constexpr WeightType kTypes[] = {WeightType::bf16, WeightType::int8};
  const Dataset dataset_ = make_dataset({.seed = 6}, 6000);
};

TEST_P(QuantizedWeights, PreserveAccuracyAndSkimRate) {
  for (const float threshold : {0.2F, 0.5F, 0.9F}) compare(threshold);
}

INSTANTIATE_TEST_SUITE_P(Cells, QuantizedWeights, testing::Values(Cell::lstm, Cell::gru));
#endif

TEST(PlantedModel, PassesItsOwnProbes) {
  for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
    const Result<VerifyReport> report = verify(planted_model({.weight_type = weights}));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(report->probes, 4);
    EXPECT_TRUE(report->ok()) << report->messages.front();
  }
}

TEST(PlantedModel, IsCalibrated) {
  const Model model = planted_model({});
  const Result<float> high = model.threshold_for(0.2);
  const Result<float> low = model.threshold_for(0.8);
  ASSERT_TRUE(high.has_value()) << high.error().message;
  ASSERT_TRUE(low.has_value()) << low.error().message;
  EXPECT_GT(*high, *low);
}

TEST(PlantedModel, FillsUpItsVocabulary) {
  EXPECT_EQ(
      planted_model({.hidden_size = 30, .embedding_size = 8, .vocab_size = 5000}).spec().vocab_size,
      5000);
}

TEST(PlantedModel, RejectsUnsupportedSpecs) {
  EXPECT_FALSE(planted_draft({.hidden_size = 12}).has_value());
  EXPECT_FALSE(planted_draft({.skim_sizes = {3}}).has_value());
  EXPECT_FALSE(planted_draft({.skim_sizes = {0}, .pooling = Pooling::mean}).has_value());
  EXPECT_FALSE(planted_draft({.cell = Cell::rnn, .weight_type = WeightType::int8}).has_value());
  EXPECT_FALSE(planted_draft({.embedding_size = 3}).has_value());
}

}  // namespace
}  // namespace skim
