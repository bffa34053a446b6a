// Compares the readers with the scalar reference on every SIMD target, and tests their invariants.
#include "readers/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/every_target.h"
#include "kernels/target.h"
#include "readers/reference.h"
#include "readers/sample_reading.h"
#include "spec/names.h"

namespace skim {
namespace {

using namespace sample;

#ifdef SKIM_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

std::vector<ReaderSpec> all_specs() {
  std::vector<ReaderSpec> specs;
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    for (const int hidden : {1, 7, 24, 50, 100}) {
      // With sanitizers these would take three quarters of the time, and 24 and 50 cover the same
      // paths.
      if (kSanitized && hidden == 100) continue;
      ReaderSpec spec;
      spec.cell = cell;
      spec.input_size = hidden == 50 ? 30 : hidden;
      spec.hidden_size = hidden;
      spec.kind = ReaderKind::dense;
      spec.skim_sizes.clear();
      specs.push_back(spec);
      spec.jump = {.tokens_per_jump = 3, .max_jump = 4, .max_jumps = 7};
      for (const ReaderKind kind :
           {ReaderKind::lstm_jump, ReaderKind::skip_rnn, ReaderKind::vcrnn}) {
        spec.kind = kind;
        specs.push_back(spec);
      }
      if (hidden < 24) continue;
      spec.kind = ReaderKind::skim;
      const std::vector<std::vector<int>> widths = {{0},  {1},  {5},     {8},       {10},
                                                    {17}, {23}, {12, 3}, {20, 9, 0}};
      for (const auto& skim_sizes : widths) {
        for (const SmallInput small_input : {SmallInput::prefix, SmallInput::full}) {
          for (const Decision decision : {Decision::linear, Decision::linear_cell, Decision::dot}) {
            if (decision == Decision::linear_cell && cell != Cell::lstm) continue;
            spec.skim_sizes = skim_sizes;
            spec.small_input = small_input;
            spec.decision = decision;
            specs.push_back(spec);
          }
        }
      }
    }
  }
  ReaderSpec wide;  // more small units than fit one group of accumulators
  wide.hidden_size = wide.input_size = 100;
  wide.skim_sizes = {60};
  specs.push_back(wide);
  return specs;
}

std::string describe(const ReaderSpec& spec) {
  std::string name = std::string(skim::to_string(spec.kind)) + " cell " +
                     std::to_string(static_cast<int>(spec.cell)) + " d " +
                     std::to_string(spec.hidden_size) + " small";
  for (const int small : spec.skim_sizes) name += " " + std::to_string(small);
  return name + " small_input " + std::to_string(static_cast<int>(spec.small_input)) +
         " decision " + std::to_string(static_cast<int>(spec.decision)) + " on " + target_name();
}

// f32 sums of a hundred products and gates good to 1e-7, carried through 40 steps of a recurrence
// with gain around 1.
constexpr double kF32 = 2e-5;

void expect_near_reference(const ReaderSpec& spec, const Reader& reader, const Weights& weights,
                           const Input& input, const Text& text, double tolerance) {
  const Outcome got = run(reader, input);
  ReferenceState state;
  std::vector<std::vector<double>> rows;
  std::vector<Step> steps;
  reference_read(spec, weights.tensors, text.rows(), 0.5F, state, rows, steps);
  std::size_t logged = 0;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    ASSERT_EQ(got.steps[t].width, steps[t].width)
        << describe(spec) << " step " << t << " p " << steps[t].p_read;
    ASSERT_NEAR(got.steps[t].p_read, steps[t].p_read, tolerance) << describe(spec) << " step " << t;
    for (std::size_t i = 0; i < rows[t].size(); ++i) {
      ASSERT_NEAR(got.rows[t * rows[t].size() + i], rows[t][i], tolerance)
          << describe(spec) << " step " << t << " unit " << i;
      if (i >= steps[t].width) continue;
      ASSERT_EQ(got.log[logged + i], got.rows[t * rows[t].size() + i]);
    }
    logged += steps[t].width;
  }
}

TEST(Reader, EqualsTheReferenceOnRowsOnEveryTarget) {
  on_every_target([] {
    std::uint64_t seed = 1;
    for (const ReaderSpec& spec : all_specs()) {
      const Weights weights(spec, ++seed);
      const Text text(40, spec.input_size, seed);
      const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
      expect_near_reference(spec, *reader, weights, rows_input(text.rows()), text, kF32);
    }
  });
}

TEST(Reader, EqualsTheReferenceOnFoldedTablesOnEveryTarget) {
  on_every_target([] {
    std::uint64_t seed = 1;
    for (const ReaderSpec& spec : all_specs()) {
      const Weights weights(spec, ++seed);
      const Text text(40, spec.input_size, seed);
      const RowEmbeddings source(text.rows());
      std::vector<std::uint32_t> words(40);
      for (std::uint32_t i = 0; i < 40; ++i) words[i] = i;
      Input input;
      input.ids = words;
      const auto reader =
          make_reader(spec, weights.tensors, WeightType::f32, &source, std::size_t{1} << 20U);
      expect_near_reference(spec, *reader, weights, input, text, kF32);
    }
  });
}

// The quantization error is random, so it grows with the square root of the number of steps and
// units. Dense readers only: a slightly different state could flip decisions.
TEST(Reader, QuantizedWeightsStayCloseToF32OnEveryTarget) {
  on_every_target([] {
    // 12 and 33 leave 4 units and 1 unit of half a block, 15 more than half, 100 is the paper's.
    for (const auto& [cell, hidden] :
         {std::pair{Cell::lstm, 100}, std::pair{Cell::lstm, 12}, std::pair{Cell::lstm, 33},
          std::pair{Cell::lstm, 15}, std::pair{Cell::gru, 100}, std::pair{Cell::rnn, 100}}) {
      ReaderSpec spec;
      spec.cell = cell;
      spec.hidden_size = hidden;
      spec.kind = ReaderKind::dense;
      spec.skim_sizes.clear();
      const Weights weights(spec, 3);
      const Text text(40, spec.input_size, 3);
      const Outcome exact =
          run(*make_reader(spec, weights.tensors, WeightType::f32), rows_input(text.rows()));
      for (const auto& [type, tolerance] :
           {std::pair{WeightType::bf16, 2e-2F}, std::pair{WeightType::int8, 8e-2F}}) {
        const Outcome got = run(*make_reader(spec, weights.tensors, type), rows_input(text.rows()));
        double squares = 0;
        for (std::size_t i = 0; i < got.rows.size(); ++i) {
          ASSERT_NEAR(got.rows[i], exact.rows[i], tolerance) << describe(spec);
          squares += std::pow(static_cast<double>(got.rows[i] - exact.rows[i]), 2);
        }
        EXPECT_GT(squares, 0) << "the weights were not quantized";
        EXPECT_LT(std::sqrt(squares / static_cast<double>(got.rows.size())), tolerance / 5)
            << describe(spec);
      }
    }
  });
}

TEST(Reader, ReadingInChunksIsBitIdentical) {
  for (const ReaderSpec& spec : all_specs()) {
    for (const WeightType type : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
      const Weights weights(spec, 5);
      const Text text(150, spec.input_size, 5);
      const auto reader = make_reader(spec, weights.tensors, type);
      Policy policy;
      policy.rule = type == WeightType::bf16 ? Policy::Rule::sample : Policy::Rule::threshold;
      const Outcome whole = run(*reader, rows_input(text.rows()), policy);
      State state;
      reader->start(state);
      const auto hidden = static_cast<std::size_t>(spec.hidden_size);
      for (std::size_t first = 0, size = 1; first < 150; first += size, size = size % 70 + 3) {
        const std::size_t count = std::min(size, 150 - first);
        const Outcome part = run(*reader, rows_input(text.part(first, count)), policy, state);
        for (std::size_t t = 0; t < count; ++t) {
          ASSERT_EQ(part.steps[t], whole.steps[first + t])
              << describe(spec) << " step " << first + t;
          for (std::size_t i = 0; i < hidden; ++i) {
            ASSERT_EQ(part.rows[t * hidden + i], whole.rows[(first + t) * hidden + i])
                << describe(spec);
          }
        }
      }
    }
  }
}

TEST(Reader, WordsBeyondTheFoldedTableAreBitIdentical) {
  for (const ReaderSpec& spec : all_specs()) {
    const Weights weights(spec, 6);
    const Text text(100, spec.input_size, 6);
    const RowEmbeddings source(text.rows());
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 0; i < 300; ++i) words.push_back(i * 7 % 100);
    Input input;
    input.ids = words;
    const auto large_table =
        make_reader(spec, weights.tensors, WeightType::f32, &source, std::size_t{1} << 24U);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{20000}}) {
      const auto small_table = make_reader(spec, weights.tensors, WeightType::f32, &source, bytes);
      const Outcome one = run(*large_table, input), two = run(*small_table, input);
      ASSERT_EQ(one.rows, two.rows) << describe(spec);
      ASSERT_EQ(one.steps, two.steps) << describe(spec);
    }
  }
}

TEST(Reader, BackwardOverReversedRowsEqualsForward) {
  for (const ReaderSpec& spec : all_specs()) {
    const Weights weights(spec, 7);
    const Text text(90, spec.input_size, 7);
    Text reversed = text;
    for (std::size_t t = 0; t < 90; ++t) {
      std::copy_n(text.rows().row(t), text.width, reversed.values.data() + (89 - t) * text.width);
    }
    const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
    const Outcome forward = run(*reader, rows_input(text.rows()));
    Input input = rows_input(reversed.rows());
    input.backward = true;
    const Outcome backward = run(*reader, input);
    const auto hidden = static_cast<std::size_t>(spec.hidden_size);
    EXPECT_EQ(forward.hidden, backward.hidden);
    EXPECT_EQ(forward.log, backward.log);
    for (std::size_t t = 0; t < 90; ++t) {
      ASSERT_EQ(forward.steps[t], backward.steps[89 - t]) << describe(spec);
      for (std::size_t i = 0; i < hidden; ++i) {
        ASSERT_EQ(forward.rows[t * hidden + i], backward.rows[(89 - t) * hidden + i])
            << describe(spec);
      }
    }
  }
}

TEST(Reader, ThresholdZeroReadsEverythingAndEqualsTheDenseReader) {
  for (ReaderSpec spec : all_specs()) {
    if (spec.kind == ReaderKind::dense) continue;
    const Weights weights(spec, 8);
    const Text text(50, spec.input_size, 8);
    const bool own_kernel = spec.kind == ReaderKind::vcrnn;
    const Outcome reading = run(*make_reader(spec, weights.tensors, WeightType::f32),
                                rows_input(text.rows()), {.threshold = 0});
    spec.kind = ReaderKind::dense;
    spec.skim_sizes.clear();
    const Outcome dense =
        run(*make_reader(spec, weights.tensors, WeightType::f32), rows_input(text.rows()));
    for (const Step& step : reading.steps) ASSERT_EQ(step.width, spec.hidden_size);
    if (!own_kernel) {
      ASSERT_EQ(reading.rows, dense.rows) << describe(spec);
    }
    for (std::size_t i = 0; i < dense.rows.size(); ++i)
      ASSERT_NEAR(reading.rows[i], dense.rows[i], kF32) << describe(spec);
  }
}

TEST(Reader, ThresholdOneUsesTheSmallestCellForEveryWord) {
  for (const ReaderSpec& spec : all_specs()) {
    if (spec.kind == ReaderKind::dense) continue;
    const int smallest = spec.skim_sizes.empty() ? 0 : spec.skim_sizes.back();
    const Weights weights(spec, 9);
    const Text text(50, spec.input_size, 9);
    const Outcome got = run(*make_reader(spec, weights.tensors, WeightType::f32),
                            rows_input(text.rows()), {.threshold = 1});
    for (const Step& step : got.steps) ASSERT_EQ(step.width, smallest) << describe(spec);
    for (std::size_t i = static_cast<std::size_t>(smallest); i < got.hidden.size(); ++i)
      ASSERT_EQ(got.hidden[i], 0);
  }
}

TEST(Reader, PReadExceedsTheThresholdExactlyWhenTheWordWasRead) {
  ReaderSpec spec;
  const Weights weights(spec, 10);
  const Text text(2000, spec.input_size, 10);
  const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
  for (const float threshold : {0.0F, 0.1F, 0.4999F, 0.5F, 0.77F, 1.0F}) {
    for (const Step& step : run(*reader, rows_input(text.rows()), {.threshold = threshold}).steps) {
      ASSERT_EQ(step.p_read > threshold, step.width == spec.hidden_size);
    }
  }
}

TEST(Reader, SamplingMatchesTheProbabilitiesAndIsReproducible) {
  for (const std::vector<int>& skim_sizes : {std::vector<int>{10}, std::vector<int>{20, 5}}) {
    ReaderSpec spec;
    spec.skim_sizes = skim_sizes;
    const Weights weights(spec, 11);
    const Text text(5000, spec.input_size, 11);
    const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
    const Policy policy{.rule = Policy::Rule::sample, .seed = 4};
    const Outcome one = run(*reader, rows_input(text.rows()), policy),
                  two = run(*reader, rows_input(text.rows()), policy);
    EXPECT_EQ(one.steps, two.steps);
    double expected = 0, reads = 0;
    for (const Step& step : one.steps) {
      expected += static_cast<double>(step.p_read);
      reads += step.width == spec.hidden_size ? 1 : 0;
    }
    // Five standard deviations of 5000 fair draws.
    EXPECT_NEAR(reads, expected, 5 * std::sqrt(5000.0) / 2);
    EXPECT_NE(
        run(*reader, rows_input(text.rows()), {.rule = Policy::Rule::sample, .seed = 5}).steps,
        one.steps);
  }
}

TEST(Reader, LowerThresholdNeverReducesTheWorkOfTheFirstStep) {
  ReaderSpec spec;
  spec.skim_sizes = {40, 20, 0};
  const Weights weights(spec, 12);
  const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Text text(1, spec.input_size, seed);
    int before = spec.hidden_size;
    for (float threshold = 0; threshold <= 1; threshold += 0.05F) {
      const int width =
          run(*reader, rows_input(text.rows()), {.threshold = threshold}).steps[0].width;
      ASSERT_LE(width, before);
      before = width;
    }
  }
}

// The outputs of a skim LSTM, the paper's model, on a SIMD target; 0 is the best one.
Outcome run_on(std::int64_t target, WeightType type) {
  select_target(target);
  ReaderSpec spec;
  spec.hidden_size = spec.input_size = 100;
  spec.skim_sizes = {10};
  const Weights weights(spec, 5);
  const Text text(60, spec.input_size, 6);
  Outcome outcome = run(*make_reader(spec, weights.tensors, type), rows_input(text.rows()));
  select_target(0);
  return outcome;
}

TEST(Reader, Avx512EqualsAvx2ToTheBit) {
  // Sanitized builds compile the kernels for fewer targets than this file.
  select_target(hwy::SupportedTargets() & HWY_AVX3);
  const bool has_avx512 = target_name() == "AVX3";
  select_target(0);
  if (!has_avx512) GTEST_SKIP() << "needs AVX-512";
  for (const WeightType type : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
    const Outcome avx2 = run_on(HWY_AVX2, type);
    // The best target also uses VNNI where the machine has it.
    for (const std::int64_t target : {std::int64_t{HWY_AVX3}, std::int64_t{0}}) {
      const Outcome avx512 = run_on(target, type);
      EXPECT_EQ(avx2.rows, avx512.rows);
      EXPECT_EQ(avx2.steps, avx512.steps);
    }
  }
}

TEST(Reader, HugeWeightsSaturate) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    ReaderSpec spec;
    spec.cell = cell;
    Weights weights(spec, 13);
    for (auto& values : weights.values) {
      for (float& value : values) value *= 1e4F;
    }
    const Text text(100, spec.input_size, 13);
    const Outcome got = run(*make_reader(spec, weights.tensors, WeightType::f32),
                            rows_input(text.rows()), {.threshold = 0.5F});
    for (const float value : got.rows) ASSERT_LE(std::fabs(value), 1.0001F);
  }
}

}  // namespace
}  // namespace skim
