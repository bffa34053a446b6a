// Compares the readers with the scalar reference on random specs, shapes, inputs and thresholds, on
// every SIMD target (tests/support/random_cases.h runs more cases).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/every_target.h"
#include "kernels/target.h"
#include "readers/reader.h"
#include "readers/reference.h"
#include "readers/sample_reading.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_spec.h"

namespace skim {
namespace {

using namespace sample;

#ifdef SKIM_SANITIZED
constexpr std::uint64_t kUsualCases = 15;
#else
constexpr std::uint64_t kUsualCases = 400;
#endif

// Decisions closer to their threshold may differ between the reference and f32.
constexpr double kMinMargin = 1e-4;
// Twice the tolerance of reader_test.cpp, whose texts and layers are smaller.
constexpr double kTolerance = 4e-5;

std::string name_case(const ReaderSpec& spec) {
  std::string name = std::string(to_string(spec.kind)) + " " + std::string(to_string(spec.cell)) +
                     ", input " + std::to_string(spec.input_size) + ", hidden " +
                     std::to_string(spec.hidden_size) + ", skim sizes";
  for (const int size : spec.skim_sizes) name += " " + std::to_string(size);
  return name + ", small input " + std::string(to_string(spec.small_input)) + ", decision " +
         std::string(to_string(spec.decision));
}

// A reader, its input and a policy.
class RandomReading {
 public:
  explicit RandomReading(std::uint64_t seed)
      : random_(seed, 3),
        spec_(draw_reader_spec(random_, {.input_size = 70, .hidden_size = 130})),
        weights_(spec_, seed),
        text_(1 + random_.below(60), spec_.input_size, seed + 1),
        source_(text_.rows()) {
    for (std::size_t count = random_.below(70); count > 0; --count)
      ids_.push_back(static_cast<std::uint32_t>(random_.below(source_.num_embeddings())));
    by_ids_ = random_.bernoulli(0.5) && !ids_.empty();
    backward_ = random_.bernoulli(0.3);
    table_bytes_ = random_.bernoulli(0.5) ? std::size_t{1} << 20U : random_.below(20000);
  }

  const ReaderSpec& spec() const { return spec_; }
  Random& random() { return random_; }
  std::size_t count() const { return by_ids_ ? ids_.size() : text_.rows().count; }

  std::unique_ptr<Reader> reader(WeightType type) const {
    return by_ids_ ? make_reader(spec_, weights_.tensors, type, &source_, table_bytes_)
                   : make_reader(spec_, weights_.tensors, type);
  }
  Input input() const {
    Input input;
    if (by_ids_)
      input.ids = ids_;
    else
      input.rows = text_.rows();
    input.backward = backward_;
    return input;
  }

  struct Expected {
    std::vector<std::vector<double>> rows;
    std::vector<Step> steps;
    double margin = 0;
  };
  // In the order of the text.
  Expected expected(float threshold) const {
    std::vector<float> values;
    for (std::size_t i = 0; i < count(); ++i) {
      const std::size_t t = backward_ ? count() - 1 - i : i;
      const float* row = text_.rows().row(by_ids_ ? ids_[t] : t);
      values.insert(values.end(), row, row + text_.width);
    }
    ReferenceState state;
    Expected made;
    reference_read(spec_, weights_.tensors, {values.data(), count(), text_.width, text_.width},
                   threshold, state, made.rows, made.steps);
    if (backward_) {
      std::reverse(made.rows.begin(), made.rows.end());
      std::reverse(made.steps.begin(), made.steps.end());
    }
    made.margin = state.margin;
    return made;
  }

 private:
  Random random_;
  ReaderSpec spec_;
  Weights weights_;
  Text text_;
  RowEmbeddings source_;
  std::vector<std::uint32_t> ids_;
  bool by_ids_ = false, backward_ = false;
  std::size_t table_bytes_ = 0;
};

float draw_threshold(Random& random) {
  if (random.bernoulli(0.1)) return random.bernoulli(0.5) ? 0.0F : 1.0F;
  return static_cast<float>(0.05 + 0.9 * random.uniform());
}

void expect_equal(const RandomReading::Expected& expected, const Outcome& got, bool has_p_read) {
  for (std::size_t t = 0; t < expected.rows.size(); ++t) {
    ASSERT_EQ(got.steps[t].width, expected.steps[t].width)
        << target_name() << ", step " << t << ", p_read " << expected.steps[t].p_read;
    if (has_p_read) {
      ASSERT_NEAR(got.steps[t].p_read, expected.steps[t].p_read, kTolerance)
          << target_name() << ", step " << t;
    }
    const std::size_t hidden = expected.rows[t].size();
    for (std::size_t i = 0; i < hidden; ++i) {
      ASSERT_NEAR(got.rows[t * hidden + i], expected.rows[t][i], kTolerance)
          << target_name() << ", step " << t << ", unit " << i;
    }
  }
}

TEST(RandomReaders, EqualTheReferenceOnEveryTarget) {
  for_each_case(kUsualCases, [](std::uint64_t seed) {
    RandomReading reading(seed);
    SCOPED_TRACE(name_case(reading.spec()));
    float threshold = draw_threshold(reading.random());
    RandomReading::Expected expected = reading.expected(threshold);
    if (expected.margin < kMinMargin) {
      threshold = draw_threshold(reading.random());
      expected = reading.expected(threshold);
    }
    if (expected.margin < kMinMargin) return;
    // At thresholds 0 and 1 some readers need not compute the probability.
    const bool has_p_read =
        (threshold > 0 && threshold < 1) || reading.spec().kind == ReaderKind::skim;
    on_every_target([&] {
      const auto reader = reading.reader(WeightType::f32);
      expect_equal(expected, run(*reader, reading.input(), {.threshold = threshold}), has_p_read);
    });
  });
}

// Root mean square of the differences.
double rms(const std::vector<float>& left, const std::vector<float>& right) {
  double squares = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    squares += std::pow(static_cast<double>(left[i]) - static_cast<double>(right[i]), 2);
  return left.empty() ? 0 : std::sqrt(squares / static_cast<double>(left.size()));
}

// Quantization changes states by far more than rounding, so that only the dense reading, at
// threshold 0, is comparable. The roundings of many units average out; those of very few do not,
// which takes up to 1.2 times the tolerance once in ten thousand cases.
TEST(RandomReaders, QuantizedWeightsStayCloseToF32OnEveryTarget) {
  for_each_case(kUsualCases, [](std::uint64_t seed) {
    const RandomReading reading(seed);
    SCOPED_TRACE(name_case(reading.spec()));
    on_every_target([&] {
      const Policy policy{.threshold = 0};
      const Outcome exact = run(*reading.reader(WeightType::f32), reading.input(), policy);
      const double scale = reading.spec().hidden_size < 4 ? 2 : 1;
      for (const auto& [type, tolerance] :
           {std::pair{WeightType::bf16, 4e-3}, std::pair{WeightType::int8, 2.5e-2}}) {
        const Outcome got = run(*reading.reader(type), reading.input(), policy);
        ASSERT_LT(rms(got.rows, exact.rows), scale * tolerance)
            << target_name() << ", " << to_string(type);
      }
    });
  });
}

// Reads `input` in parts of random sizes, in reading order.
Outcome run_in_parts(const Reader& reader, const Input& input, const Policy& policy,
                     Random& random) {
  const auto hidden = static_cast<std::size_t>(reader.spec().hidden_size);
  Outcome whole;
  whole.rows.resize(input.count() * hidden);
  whole.steps.resize(input.count());
  State state;
  reader.start(state);
  for (std::size_t done = 0; done < input.count();) {
    const std::size_t size = std::min(1 + random.below(40), input.count() - done);
    const std::size_t begin = input.backward ? input.count() - done - size : done;
    const Outcome part = run(reader, input.part(begin, size), policy, state);
    std::ranges::copy(part.steps, whole.steps.begin() + static_cast<std::ptrdiff_t>(begin));
    std::ranges::copy(part.rows, whole.rows.begin() + static_cast<std::ptrdiff_t>(begin * hidden));
    done += size;
  }
  whole.hidden.assign(state.hidden.data(), state.hidden.data() + hidden);
  return whole;
}

TEST(RandomReaders, PartsAreBitIdenticalToTheWholeOnEveryTarget) {
  for_each_case(kUsualCases, [](std::uint64_t seed) {
    RandomReading reading(seed);
    const auto type = draw_enum<WeightType>(reading.random());
    const Policy policy{.threshold = draw_threshold(reading.random()),
                        .rule = draw_enum<Policy::Rule>(reading.random()),
                        .seed = seed};
    SCOPED_TRACE(name_case(reading.spec()) + ", " + std::string(to_string(type)) + ", " +
                 std::string(to_string(policy.rule)));
    on_every_target([&] {
      const auto reader = reading.reader(type);
      const Outcome whole = run(*reader, reading.input(), policy);
      const Outcome parts = run_in_parts(*reader, reading.input(), policy, reading.random());
      ASSERT_EQ(whole.steps, parts.steps) << target_name();
      ASSERT_EQ(whole.rows, parts.rows) << target_name();
      ASSERT_EQ(whole.hidden, parts.hidden) << target_name();
    });
  });
}

}  // namespace
}  // namespace skim
