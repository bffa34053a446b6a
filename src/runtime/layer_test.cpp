#include "skim/layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "spec/params.h"

namespace skim {
namespace {

using testing::HasSubstr;

// Random weights for a spec; tests modify them before they create the layer.
struct Weights {
  explicit Weights(const ReaderSpec& spec) {
    std::uint32_t state = 7;
    for (const TensorSpec& tensor : reader_tensors(spec)) {
      std::size_t count = 1;
      for (const std::size_t size : tensor.shape) count *= size;
      std::vector<float> numbers;
      for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525U + 1013904223U;
        numbers.push_back(static_cast<float>(state >> 8) * 0x1p-23F - 1.0F);
      }
      values.push_back(std::move(numbers));
      tensors.push_back({tensor.name, tensor.shape, {}});
    }
    for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].values = values[i];
  }

  std::vector<std::vector<float>> values;
  std::vector<NamedTensor> tensors;
};

ReaderSpec make_spec(Cell cell, std::vector<int> skim_sizes) {
  ReaderSpec spec;
  spec.kind = skim_sizes.empty() ? ReaderKind::dense : ReaderKind::skim;
  spec.cell = cell;
  spec.input_size = 6;
  spec.hidden_size = 11;
  spec.skim_sizes = std::move(skim_sizes);
  return spec;
}

std::vector<float> make_rows(std::size_t count, std::size_t width) {
  std::vector<float> rows;
  for (std::size_t i = 0; i < count * width; ++i) {
    rows.push_back(std::sin(static_cast<float>(i) * 0.7F));
  }
  return rows;
}

std::string creation_error(const ReaderSpec& spec, const std::vector<NamedTensor>& tensors) {
  const Result<Layer> layer = Layer::create(spec, tensors);
  return layer ? "" : layer.error().message;
}

TEST(Layer, OutputsOneRowPerInputRow) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    const ReaderSpec spec = make_spec(cell, {4});
    const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
    LayerState state = layer.start();
    std::vector<float> out(9 * 11, 99.0F);
    std::vector<Step> steps(9);
    ASSERT_TRUE(layer.read(make_rows(9, 6), {}, state, out, steps).has_value());
    for (const float value : out) EXPECT_LE(std::abs(value), 1.0F);
    EXPECT_EQ(state.position(), 9U);
    EXPECT_TRUE(std::equal(state.hidden().begin(), state.hidden().end(), out.end() - 11));
  }
}

TEST(Layer, ChunksEqualTheWhole) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    for (const auto& skim_sizes : std::vector<std::vector<int>>{{}, {0}, {4}, {7, 2}}) {
      for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
        const ReaderSpec spec = make_spec(cell, skim_sizes);
        const Layer layer = Layer::create(spec, Weights(spec).tensors, weights).value();
        const std::vector<float> in = make_rows(20, 6);
        std::vector<float> whole(20 * 11);
        std::vector<float> parts(20 * 11);
        std::vector<Step> whole_steps(20);
        std::vector<Step> part_steps(20);
        LayerState one = layer.start();
        ASSERT_TRUE(layer.read(in, {}, one, whole, whole_steps).has_value());
        LayerState two = layer.start();
        for (const auto& [begin, count] : {std::pair{0, 7}, std::pair{7, 1}, std::pair{8, 12}}) {
          const auto from = static_cast<std::size_t>(begin);
          const auto rows = static_cast<std::size_t>(count);
          ASSERT_TRUE(layer.read(std::span(in).subspan(from * 6, rows * 6), {}, two,
                                 std::span(parts).subspan(from * 11, rows * 11),
                                 std::span(part_steps).subspan(from, rows)));
        }
        EXPECT_EQ(whole, parts);
        EXPECT_EQ(whole_steps, part_steps);
        EXPECT_TRUE(std::ranges::equal(one.hidden(), two.hidden()));
        EXPECT_TRUE(std::ranges::equal(one.cell(), two.cell()));
      }
    }
  }
}

TEST(Layer, SkippingReadersKeepTheirStateBetweenChunks) {
  for (const ReaderKind kind : {ReaderKind::lstm_jump, ReaderKind::skip_rnn, ReaderKind::vcrnn}) {
    ReaderSpec spec = make_spec(Cell::lstm, {});
    spec.kind = kind;
    spec.jump = {.tokens_per_jump = 3, .max_jump = 4, .max_jumps = 3};
    const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
    const std::vector<float> in = make_rows(20, 6);
    std::vector<float> whole(20 * 11), parts(20 * 11);
    std::vector<Step> whole_steps(20), part_steps(20);
    LayerState one = layer.start(), two = layer.start();
    ASSERT_TRUE(layer.read(in, {}, one, whole, whole_steps).has_value());
    for (std::size_t i = 0; i < 20; i += 2) {
      ASSERT_TRUE(layer.read(std::span(in).subspan(i * 6, 12), {}, two,
                             std::span(parts).subspan(i * 11, 22),
                             std::span(part_steps).subspan(i, 2)));
    }
    EXPECT_EQ(whole, parts);
    EXPECT_EQ(whole_steps, part_steps);
  }
}

TEST(Layer, RejectsSentenceEndIds) {
  ReaderSpec spec = make_spec(Cell::lstm, {});
  spec.kind = ReaderKind::lstm_jump;
  spec.jump.sentence_end_ids = {1};
  const auto made = Layer::create(spec, Weights(spec).tensors);
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("reader.jump.sentence_end_ids"), std::string::npos);
}

TEST(Layer, AcceptsAStateWithOtherInitialValues) {
  ReaderSpec spec = make_spec(Cell::rnn, {});
  spec.kind = ReaderKind::lstm_jump;
  const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
  LayerState state = layer.start();
  ASSERT_TRUE(state.set_hidden(std::vector<float>(11, 0.5F)).has_value());
  EXPECT_FALSE(state.set_hidden(std::vector<float>(10)).has_value());
  EXPECT_FALSE(state.set_cell(std::vector<float>(11)).has_value());
  std::vector<float> out(4 * 11);
  EXPECT_TRUE(layer.read(make_rows(4, 6), {}, state, out, {}).has_value());
}

TEST(Layer, ContinuesFromTheStateOfALayerWithOtherWeightTypes) {
  const ReaderSpec spec = make_spec(Cell::lstm, {4});
  const Weights weights(spec);
  const Layer f32 = Layer::create(spec, weights.tensors).value();
  const Layer int8 = Layer::create(spec, weights.tensors, WeightType::int8).value();
  LayerState state = f32.start();
  std::vector<float> out(2 * 11);
  ASSERT_TRUE(f32.read(make_rows(2, 6), {}, state, out, {}).has_value());
  LayerState same = int8.start();
  ASSERT_TRUE(same.set_hidden(state.hidden()).has_value());
  ASSERT_TRUE(same.set_cell(state.cell()).has_value());
  std::vector<float> expected(2 * 11);
  ASSERT_TRUE(int8.read(make_rows(2, 6), {.threshold = 0}, same, expected, {}).has_value());
  ASSERT_TRUE(int8.read(make_rows(2, 6), {.threshold = 0}, state, out, {}).has_value());
  EXPECT_EQ(out, expected);
}

TEST(Layer, AStateOutlivesItsLayer) {
  // A later layer may get the address of the first one, with other buffer sizes.
  const ReaderSpec spec = make_spec(Cell::lstm, {4});
  const Weights weights(spec);
  std::vector<float> out(2 * 11);
  for (const WeightType first : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
    for (const WeightType second : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
      LayerState state = Layer::create(spec, weights.tensors, first).value().start();
      const Layer layer = Layer::create(spec, weights.tensors, second).value();
      EXPECT_TRUE(layer.read(make_rows(2, 6), {}, state, out, {}).has_value());
    }
  }
}

TEST(Layer, CopiesOfAStateAreIndependent) {
  const ReaderSpec spec = make_spec(Cell::lstm, {4});
  const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
  LayerState state = layer.start();
  std::vector<float> out(3 * 11), again(3 * 11);
  LayerState copy = state;
  ASSERT_TRUE(layer.read(make_rows(3, 6), {}, state, out, {}).has_value());
  EXPECT_EQ(copy.position(), 0U);
  ASSERT_TRUE(layer.read(make_rows(3, 6), {}, copy, again, {}).has_value());
  EXPECT_EQ(out, again);
}

TEST(Layer, ANanFractionUpdatesNothing) {
  ReaderSpec spec = make_spec(Cell::rnn, {});
  spec.kind = ReaderKind::vcrnn;
  Weights weights(spec);
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    if (weights.tensors[i].name == "scheduler.weight_ih") weights.values[i] = {9, -9, 9, -9, 9, -9};
  }
  const Layer layer = Layer::create(spec, weights.tensors).value();
  LayerState state = layer.start();
  const std::vector<float> huge(6, 3e38F);
  std::vector<float> out(11);
  std::vector<Step> steps(1);
  ASSERT_TRUE(layer.read(huge, {}, state, out, steps).has_value());
  EXPECT_EQ(steps[0].width, 0);
}

TEST(Layer, SkippingDoesNotChangeTheState) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    const ReaderSpec spec = make_spec(cell, {0});
    const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
    LayerState state = layer.start();
    std::vector<float> out(5 * 11);
    ASSERT_TRUE(layer.read(make_rows(5, 6), {.threshold = 0}, state, out, {}).has_value());
    const LayerState before = state;
    ASSERT_TRUE(layer.read(make_rows(5, 6), {.threshold = 1}, state, out, {}).has_value());
    EXPECT_TRUE(std::ranges::equal(state.hidden(), before.hidden()));
    EXPECT_TRUE(std::ranges::equal(state.cell(), before.cell()));
    for (std::size_t row = 0; row < 5; ++row) {
      EXPECT_TRUE(std::equal(before.hidden().begin(), before.hidden().end(),
                             out.begin() + static_cast<std::ptrdiff_t>(row * 11)));
    }
  }
}

TEST(Layer, SkimmingDoesNotChangeTheSuffix) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    const ReaderSpec spec = make_spec(cell, {4});
    const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
    LayerState state = layer.start();
    std::vector<float> out(5 * 11);
    ASSERT_TRUE(layer.read(make_rows(5, 6), {.threshold = 0}, state, out, {}).has_value());
    const LayerState before = state;
    ASSERT_TRUE(layer.read(make_rows(5, 6), {.threshold = 1}, state, out, {}).has_value());
    EXPECT_TRUE(std::ranges::equal(before.hidden().subspan(4), state.hidden().subspan(4)));
    EXPECT_FALSE(std::ranges::equal(before.hidden().first(4), state.hidden().first(4)));
  }
}

TEST(Layer, ReportsAMissingTensor) {
  const ReaderSpec spec = make_spec(Cell::lstm, {4});
  Weights weights(spec);
  std::erase_if(weights.tensors,
                [](const auto& tensor) { return tensor.name == "small.1.weight_hh"; });
  EXPECT_THAT(creation_error(spec, weights.tensors),
              HasSubstr("'small.1.weight_hh' of shape [16, 4] is missing"));
}

TEST(Layer, ReportsATensorOfTheWrongShape) {
  const ReaderSpec spec = make_spec(Cell::lstm, {4});
  Weights weights(spec);
  weights.tensors[0].shape = {44, 7};
  EXPECT_THAT(creation_error(spec, weights.tensors),
              HasSubstr("'big.weight_ih' has shape [44, 7], expected [44, 6]"));
}

TEST(Layer, ReportsATensorWithTooFewValues) {
  const ReaderSpec spec = make_spec(Cell::lstm, {4});
  Weights weights(spec);
  weights.tensors[0].values = weights.tensors[0].values.first(10);
  EXPECT_THAT(creation_error(spec, weights.tensors), HasSubstr("'big.weight_ih' has 10 values"));
}

TEST(Layer, ReportsATensorThatIsNotFinite) {
  const ReaderSpec spec = make_spec(Cell::gru, {4});
  Weights weights(spec);
  weights.values[1][3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(creation_error(spec, weights.tensors), HasSubstr("'big.weight_hh'"));
}

TEST(Layer, ReportsUnexpectedAndDuplicateTensors) {
  const ReaderSpec spec = make_spec(Cell::rnn, {});
  Weights weights(spec);
  weights.tensors.push_back({"big.x", {1}, {}});
  EXPECT_THAT(creation_error(spec, weights.tensors), HasSubstr("'big.x'"));
  weights.tensors.back() = weights.tensors.front();
  EXPECT_THAT(creation_error(spec, weights.tensors), HasSubstr("twice"));
}

TEST(Layer, RejectsAnInvalidSpec) {
  EXPECT_NE(creation_error(make_spec(Cell::lstm, {20}), {}), "");
}

TEST(Layer, RejectsRowsAndStatesOfTheWrongSize) {
  const ReaderSpec spec = make_spec(Cell::lstm, {4});
  const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
  LayerState state = layer.start();
  std::vector<float> out(2 * 11);
  std::vector<Step> steps(2);
  const std::vector<float> in = make_rows(2, 6);
  const auto message = [&](std::span<const float> rows, std::span<float> to, std::span<Step> into) {
    const Result<void> done = layer.read(rows, {}, state, to, into);
    return done ? std::string() : done.error().message;
  };
  EXPECT_THAT(message(std::span(in).first(7), out, steps),
              HasSubstr("a multiple of the input size 6"));
  EXPECT_THAT(message(in, std::span(out).first(11), steps), HasSubstr("out has 11"));
  EXPECT_THAT(message(in, out, std::span(steps).first(1)), HasSubstr("steps has 1"));
  const auto start_of = [](const ReaderSpec& other) {
    return Layer::create(other, Weights(other).tensors).value().start();
  };
  state = start_of(make_spec(Cell::gru, {4}));
  EXPECT_THAT(message(in, out, steps), HasSubstr("state.cell"));
  ReaderSpec narrow = make_spec(Cell::lstm, {2});
  narrow.hidden_size = 3;
  state = start_of(narrow);
  EXPECT_THAT(message(in, out, steps), HasSubstr("state.hidden"));
}

TEST(Layer, RejectsAnInvalidThreshold) {
  const ReaderSpec spec = make_spec(Cell::lstm, {4});
  const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
  LayerState state = layer.start();
  EXPECT_FALSE(layer.read({}, {.threshold = 2}, state, {}, {}).has_value());
  EXPECT_TRUE(layer.read({}, {}, state, {}, {}).has_value());
}

}  // namespace
}  // namespace skim
