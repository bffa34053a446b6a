// The readers against the reference, for every instruction set of this machine, and the laws they
// must keep.
#include "readers/reader.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <string>

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
      // Sanitized, three quarters of the time would go to these, whose paths 24 and 50 take, too.
      if (kSanitized && hidden == 100) continue;
      ReaderSpec spec;
      spec.cell = cell;
      spec.input = hidden == 50 ? 30 : hidden;
      spec.hidden = hidden;
      spec.kind = ReaderKind::full;
      spec.small.clear();
      specs.push_back(spec);
      spec.jump = {.run = 3, .reach = 4, .most = 7};
      for (const ReaderKind kind : {ReaderKind::jump, ReaderKind::skip, ReaderKind::vary}) {
        spec.kind = kind;
        specs.push_back(spec);
      }
      if (hidden < 24) continue;
      spec.kind = ReaderKind::skim;
      const std::vector<std::vector<int>> widths = {{0},  {1},  {5},     {8},       {10},
                                                    {17}, {23}, {12, 3}, {20, 9, 0}};
      for (const auto& small : widths) {
        for (const SmallSees sees : {SmallSees::head, SmallSees::all}) {
          for (const Decision decision : {Decision::linear, Decision::linear_cell, Decision::dot}) {
            if (decision == Decision::linear_cell && cell != Cell::lstm) continue;
            spec.small = small;
            spec.small_sees = sees;
            spec.decision = decision;
            specs.push_back(spec);
          }
        }
      }
    }
  }
  ReaderSpec wide;  // more small units than fit one group of accumulators
  wide.hidden = wide.input = 100;
  wide.small = {60};
  specs.push_back(wide);
  return specs;
}

std::string name_of(const ReaderSpec& spec) {
  std::string name = std::string(skim::name_of(spec.kind)) + " cell " +
                     std::to_string(static_cast<int>(spec.cell)) + " d " +
                     std::to_string(spec.hidden) + " small";
  for (const int small : spec.small) name += " " + std::to_string(small);
  return name + " sees " + std::to_string(static_cast<int>(spec.small_sees)) + " decision " +
         std::to_string(static_cast<int>(spec.decision)) + " on " + target_name();
}

// Runs `check` once for each instruction set that this machine has and the kernels were compiled
// for.
template <class Check>
void on_every_target(const Check& check) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
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
        << name_of(spec) << " step " << t << " p " << steps[t].p_read;
    ASSERT_NEAR(got.steps[t].p_read, steps[t].p_read, tolerance) << name_of(spec) << " step " << t;
    for (std::size_t i = 0; i < rows[t].size(); ++i) {
      ASSERT_NEAR(got.rows[t * rows[t].size() + i], rows[t][i], tolerance)
          << name_of(spec) << " step " << t << " unit " << i;
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
      const Text text(40, spec.input, seed);
      const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
      expect_near_reference(spec, *reader, weights, of_rows(text.rows()), text, kF32);
    }
  });
}

TEST(Reader, EqualsTheReferenceOnFoldedWordsOnEveryTarget) {
  on_every_target([] {
    std::uint64_t seed = 1;
    for (const ReaderSpec& spec : all_specs()) {
      const Weights weights(spec, ++seed);
      const Text text(40, spec.input, seed);
      const RowSource source(text.rows());
      std::vector<std::uint32_t> words(40);
      for (std::uint32_t i = 0; i < 40; ++i) words[i] = i;
      Input input;
      input.words = words;
      const auto reader =
          make_reader(spec, weights.tensors, WeightType::f32, &source, std::size_t{1} << 20U);
      expect_near_reference(spec, *reader, weights, input, text, kF32);
    }
  });
}

// The weights lose 8 of their 16 (bf16) or 16 (int8) bits; what is lost is random, so it grows with
// the root of the number of steps and units. Decisions stay f32 but see a slightly different state:
// policies that skip the choice.
TEST(Reader, SmallWeightsStayCloseToF32OnEveryTarget) {
  on_every_target([] {
    // 12 and 33 leave 4 units and 1 unit of half a block, 15 more than half, 100 is the paper's.
    for (const auto& [cell, hidden] :
         {std::pair{Cell::lstm, 100}, std::pair{Cell::lstm, 12}, std::pair{Cell::lstm, 33},
          std::pair{Cell::lstm, 15}, std::pair{Cell::gru, 100}, std::pair{Cell::rnn, 100}}) {
      ReaderSpec spec;
      spec.cell = cell;
      spec.hidden = hidden;
      spec.kind = ReaderKind::full;
      spec.small.clear();
      const Weights weights(spec, 3);
      const Text text(40, spec.input, 3);
      const Outcome exact =
          run(*make_reader(spec, weights.tensors, WeightType::f32), of_rows(text.rows()));
      for (const auto& [type, tolerance] :
           {std::pair{WeightType::bf16, 2e-2F}, std::pair{WeightType::int8, 8e-2F}}) {
        const Outcome got = run(*make_reader(spec, weights.tensors, type), of_rows(text.rows()));
        double squares = 0;
        for (std::size_t i = 0; i < got.rows.size(); ++i) {
          ASSERT_NEAR(got.rows[i], exact.rows[i], tolerance) << name_of(spec);
          squares += std::pow(static_cast<double>(got.rows[i] - exact.rows[i]), 2);
        }
        EXPECT_GT(squares, 0) << "the weights were not rounded at all";
        EXPECT_LT(std::sqrt(squares / static_cast<double>(got.rows.size())), tolerance / 5)
            << name_of(spec);
      }
    }
  });
}

TEST(Reader, ReadingInChunksEqualsReadingAtOnceToTheBit) {
  for (const ReaderSpec& spec : all_specs()) {
    for (const WeightType type : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
      const Weights weights(spec, 5);
      const Text text(150, spec.input, 5);
      const auto reader = make_reader(spec, weights.tensors, type);
      Policy policy;
      policy.rule = type == WeightType::bf16 ? Policy::Rule::sample : Policy::Rule::threshold;
      const Outcome whole = run(*reader, of_rows(text.rows()), policy);
      State state;
      reader->start(state);
      const auto hidden = static_cast<std::size_t>(spec.hidden);
      for (std::size_t first = 0, size = 1; first < 150; first += size, size = size % 70 + 3) {
        const std::size_t count = std::min(size, 150 - first);
        const Outcome part = run(*reader, of_rows(text.part(first, count)), policy, state);
        for (std::size_t t = 0; t < count; ++t) {
          ASSERT_EQ(part.steps[t], whole.steps[first + t])
              << name_of(spec) << " step " << first + t;
          for (std::size_t i = 0; i < hidden; ++i) {
            ASSERT_EQ(part.rows[t * hidden + i], whole.rows[(first + t) * hidden + i])
                << name_of(spec);
          }
        }
      }
    }
  }
}

TEST(Reader, WordsBeyondTheTableGiveTheSameBits) {
  for (const ReaderSpec& spec : all_specs()) {
    const Weights weights(spec, 6);
    const Text text(100, spec.input, 6);
    const RowSource source(text.rows());
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 0; i < 300; ++i) words.push_back(i * 7 % 100);
    Input input;
    input.words = words;
    const auto roomy =
        make_reader(spec, weights.tensors, WeightType::f32, &source, std::size_t{1} << 24U);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{20000}}) {
      const auto tight = make_reader(spec, weights.tensors, WeightType::f32, &source, bytes);
      const Outcome one = run(*roomy, input), two = run(*tight, input);
      ASSERT_EQ(one.rows, two.rows) << name_of(spec);
      ASSERT_EQ(one.steps, two.steps) << name_of(spec);
    }
  }
}

TEST(Reader, BackwardOverReversedRowsEqualsForward) {
  for (const ReaderSpec& spec : all_specs()) {
    const Weights weights(spec, 7);
    const Text text(90, spec.input, 7);
    Text reversed = text;
    for (std::size_t t = 0; t < 90; ++t) {
      std::copy_n(text.rows().row(t), text.width, reversed.values.data() + (89 - t) * text.width);
    }
    const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
    const Outcome forward = run(*reader, of_rows(text.rows()));
    Input input = of_rows(reversed.rows());
    input.backward = true;
    const Outcome backward = run(*reader, input);
    const auto hidden = static_cast<std::size_t>(spec.hidden);
    EXPECT_EQ(forward.hidden, backward.hidden);
    EXPECT_EQ(forward.log, backward.log);
    for (std::size_t t = 0; t < 90; ++t) {
      ASSERT_EQ(forward.steps[t], backward.steps[89 - t]) << name_of(spec);
      for (std::size_t i = 0; i < hidden; ++i) {
        ASSERT_EQ(forward.rows[t * hidden + i], backward.rows[(89 - t) * hidden + i])
            << name_of(spec);
      }
    }
  }
}

TEST(Reader, ThresholdZeroReadsEverythingAndEqualsThePlainReader) {
  for (ReaderSpec spec : all_specs()) {
    if (spec.kind == ReaderKind::full) continue;
    const Weights weights(spec, 8);
    const Text text(50, spec.input, 8);
    const bool own_kernel = spec.kind == ReaderKind::vary;
    const Outcome skim = run(*make_reader(spec, weights.tensors, WeightType::f32),
                             of_rows(text.rows()), {.read_above = 0});
    spec.kind = ReaderKind::full;
    spec.small.clear();
    const Outcome plain =
        run(*make_reader(spec, weights.tensors, WeightType::f32), of_rows(text.rows()));
    for (const Step& step : skim.steps) ASSERT_EQ(step.width, spec.hidden);
    if (!own_kernel) {
      ASSERT_EQ(skim.rows, plain.rows) << name_of(spec);
    }
    for (std::size_t i = 0; i < plain.rows.size(); ++i)
      ASSERT_NEAR(skim.rows[i], plain.rows[i], kF32) << name_of(spec);
  }
}

TEST(Reader, ThresholdOneTakesTheSmallestCellForEveryWord) {
  for (const ReaderSpec& spec : all_specs()) {
    if (spec.kind == ReaderKind::full) continue;
    const int smallest = spec.small.empty() ? 0 : spec.small.back();
    const Weights weights(spec, 9);
    const Text text(50, spec.input, 9);
    const Outcome got = run(*make_reader(spec, weights.tensors, WeightType::f32),
                            of_rows(text.rows()), {.read_above = 1});
    for (const Step& step : got.steps) ASSERT_EQ(step.width, smallest) << name_of(spec);
    for (std::size_t i = static_cast<std::size_t>(smallest); i < got.hidden.size(); ++i)
      ASSERT_EQ(got.hidden[i], 0);
  }
}

TEST(Reader, PReadExceedsTheThresholdExactlyWhenTheWordWasRead) {
  ReaderSpec spec;
  const Weights weights(spec, 10);
  const Text text(2000, spec.input, 10);
  const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
  for (const float threshold : {0.0F, 0.1F, 0.4999F, 0.5F, 0.77F, 1.0F}) {
    for (const Step& step : run(*reader, of_rows(text.rows()), {.read_above = threshold}).steps) {
      ASSERT_EQ(step.p_read > threshold, step.width == spec.hidden);
    }
  }
}

TEST(Reader, SamplingReadsAsOftenAsTheProbabilitiesSayAndIsReproducible) {
  for (const std::vector<int>& small : {std::vector<int>{10}, std::vector<int>{20, 5}}) {
    ReaderSpec spec;
    spec.small = small;
    const Weights weights(spec, 11);
    const Text text(5000, spec.input, 11);
    const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
    const Policy policy{.rule = Policy::Rule::sample, .seed = 4};
    const Outcome one = run(*reader, of_rows(text.rows()), policy),
                  two = run(*reader, of_rows(text.rows()), policy);
    EXPECT_EQ(one.steps, two.steps);
    double expected = 0, reads = 0;
    for (const Step& step : one.steps) {
      expected += static_cast<double>(step.p_read);
      reads += step.width == spec.hidden ? 1 : 0;
    }
    // Five standard deviations of 5000 fair draws.
    EXPECT_NEAR(reads, expected, 5 * std::sqrt(5000.0) / 2);
    EXPECT_NE(run(*reader, of_rows(text.rows()), {.rule = Policy::Rule::sample, .seed = 5}).steps,
              one.steps);
  }
}

TEST(Reader, LowerThresholdNeverMeansLessWorkAtTheFirstStep) {
  ReaderSpec spec;
  spec.small = {40, 20, 0};
  const Weights weights(spec, 12);
  const auto reader = make_reader(spec, weights.tensors, WeightType::f32);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Text text(1, spec.input, seed);
    int before = spec.hidden;
    for (float threshold = 0; threshold <= 1; threshold += 0.05F) {
      const int width =
          run(*reader, of_rows(text.rows()), {.read_above = threshold}).steps[0].width;
      ASSERT_LE(width, before);
      before = width;
    }
  }
}

TEST(Reader, HugeWeightsSaturateInsteadOfBreaking) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    ReaderSpec spec;
    spec.cell = cell;
    Weights weights(spec, 13);
    for (auto& values : weights.values) {
      for (float& value : values) value *= 1e4F;
    }
    const Text text(100, spec.input, 13);
    const Outcome got = run(*make_reader(spec, weights.tensors, WeightType::f32),
                            of_rows(text.rows()), {.read_above = 0.5F});
    for (const float value : got.rows) ASSERT_LE(std::fabs(value), 1.0001F);
  }
}

}  // namespace
}  // namespace skim
