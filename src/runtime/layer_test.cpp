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

// Weights for a spec, given by name; tests change them before the layer is made.
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

ReaderSpec spec_of(Cell cell, std::vector<int> small) {
  ReaderSpec spec;
  spec.kind = small.empty() ? ReaderKind::full : ReaderKind::skim;
  spec.cell = cell;
  spec.input = 6;
  spec.hidden = 11;
  spec.small = std::move(small);
  return spec;
}

std::vector<float> rows_of(std::size_t count, std::size_t width) {
  std::vector<float> rows;
  for (std::size_t i = 0; i < count * width; ++i) {
    rows.push_back(std::sin(static_cast<float>(i) * 0.7F));
  }
  return rows;
}

std::string error_of(const ReaderSpec& spec, const std::vector<NamedTensor>& tensors) {
  const Result<Layer> layer = Layer::create(spec, tensors);
  return layer ? "" : layer.error().message;
}

TEST(Layer, GivesAsManyRowsAsItTakes) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    const ReaderSpec spec = spec_of(cell, {4});
    const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
    LayerState state = layer.start();
    std::vector<float> out(9 * 11, 99.0F);
    std::vector<Step> steps(9);
    ASSERT_TRUE(layer.read(rows_of(9, 6), {}, state, out, steps).has_value());
    for (const float value : out) EXPECT_LE(std::abs(value), 1.0F);
    EXPECT_EQ(state.position, 9U);
    EXPECT_TRUE(std::equal(state.hidden.begin(), state.hidden.end(), out.end() - 11));
  }
}

TEST(Layer, ChunksEqualTheWhole) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    for (const auto& small : std::vector<std::vector<int>>{{}, {0}, {4}, {7, 2}}) {
      for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8}) {
        const ReaderSpec spec = spec_of(cell, small);
        const Layer layer = Layer::create(spec, Weights(spec).tensors, weights).value();
        const std::vector<float> in = rows_of(20, 6);
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
        EXPECT_EQ(one.hidden, two.hidden);
        EXPECT_EQ(one.cell, two.cell);
      }
    }
  }
}

TEST(Layer, AReaderThatLeavesWordsOutKeepsItsPaceBetweenChunks) {
  for (const ReaderKind kind : {ReaderKind::jump, ReaderKind::skip, ReaderKind::vary}) {
    ReaderSpec spec = spec_of(Cell::lstm, {});
    spec.kind = kind;
    spec.jump = {.run = 3, .reach = 4, .most = 3};
    const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
    const std::vector<float> in = rows_of(20, 6);
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

TEST(Layer, RowsHaveNoSentences) {
  ReaderSpec spec = spec_of(Cell::lstm, {});
  spec.kind = ReaderKind::jump;
  spec.jump.ends = {1};
  const auto made = Layer::create(spec, Weights(spec).tensors);
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("reader.jump.ends"), std::string::npos);
}

TEST(Layer, AStateFilledInByHandIsReadOnFrom) {
  ReaderSpec spec = spec_of(Cell::rnn, {});
  spec.kind = ReaderKind::jump;
  const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
  LayerState state;
  state.hidden.assign(11, 0.5F);
  std::vector<float> out(4 * 11);
  EXPECT_TRUE(layer.read(rows_of(4, 6), {}, state, out, {}).has_value());
}

TEST(Layer, ANeedThatIsNoNumberUpdatesNothing) {
  ReaderSpec spec = spec_of(Cell::rnn, {});
  spec.kind = ReaderKind::vary;
  Weights weights(spec);
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    if (weights.tensors[i].name == "extent.w") weights.values[i] = {9, -9, 9, -9, 9, -9};
  }
  const Layer layer = Layer::create(spec, weights.tensors).value();
  LayerState state = layer.start();
  const std::vector<float> huge(6, 3e38F);
  std::vector<float> out(11);
  std::vector<Step> steps(1);
  ASSERT_TRUE(layer.read(huge, {}, state, out, steps).has_value());
  EXPECT_EQ(steps[0].width, 0);
}

TEST(Layer, SkippingLeavesTheStateAsItWas) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    const ReaderSpec spec = spec_of(cell, {0});
    const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
    LayerState state = layer.start();
    std::vector<float> out(5 * 11);
    ASSERT_TRUE(layer.read(rows_of(5, 6), {.read_above = 0}, state, out, {}).has_value());
    const LayerState before = state;
    ASSERT_TRUE(layer.read(rows_of(5, 6), {.read_above = 1}, state, out, {}).has_value());
    EXPECT_EQ(state.hidden, before.hidden);
    EXPECT_EQ(state.cell, before.cell);
    for (std::size_t row = 0; row < 5; ++row) {
      EXPECT_TRUE(std::equal(before.hidden.begin(), before.hidden.end(),
                             out.begin() + static_cast<std::ptrdiff_t>(row * 11)));
    }
  }
}

TEST(Layer, SkimmingLeavesTheTailAsItWas) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn}) {
    const ReaderSpec spec = spec_of(cell, {4});
    const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
    LayerState state = layer.start();
    std::vector<float> out(5 * 11);
    ASSERT_TRUE(layer.read(rows_of(5, 6), {.read_above = 0}, state, out, {}).has_value());
    const LayerState before = state;
    ASSERT_TRUE(layer.read(rows_of(5, 6), {.read_above = 1}, state, out, {}).has_value());
    EXPECT_TRUE(
        std::equal(before.hidden.begin() + 4, before.hidden.end(), state.hidden.begin() + 4));
    EXPECT_FALSE(
        std::equal(before.hidden.begin(), before.hidden.begin() + 4, state.hidden.begin()));
  }
}

TEST(Layer, NamesAMissingTensor) {
  const ReaderSpec spec = spec_of(Cell::lstm, {4});
  Weights weights(spec);
  std::erase_if(weights.tensors, [](const auto& tensor) { return tensor.name == "small.1.u"; });
  EXPECT_THAT(error_of(spec, weights.tensors), HasSubstr("'small.1.u' (16x4) is missing"));
}

TEST(Layer, NamesATensorOfTheWrongShape) {
  const ReaderSpec spec = spec_of(Cell::lstm, {4});
  Weights weights(spec);
  weights.tensors[0].shape = {44, 7};
  EXPECT_THAT(error_of(spec, weights.tensors),
              HasSubstr("'big.w' is 44x7, the spec asks for 44x6"));
}

TEST(Layer, NamesATensorWithTooFewValues) {
  const ReaderSpec spec = spec_of(Cell::lstm, {4});
  Weights weights(spec);
  weights.tensors[0].values = weights.tensors[0].values.first(10);
  EXPECT_THAT(error_of(spec, weights.tensors), HasSubstr("'big.w' has 10 values"));
}

TEST(Layer, NamesATensorThatIsNotFinite) {
  const ReaderSpec spec = spec_of(Cell::gru, {4});
  Weights weights(spec);
  weights.values[1][3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of(spec, weights.tensors), HasSubstr("'big.u'"));
}

TEST(Layer, NamesATensorTooMany) {
  const ReaderSpec spec = spec_of(Cell::rnn, {});
  Weights weights(spec);
  weights.tensors.push_back({"big.x", {1}, {}});
  EXPECT_THAT(error_of(spec, weights.tensors), HasSubstr("'big.x'"));
  weights.tensors.back() = weights.tensors.front();
  EXPECT_THAT(error_of(spec, weights.tensors), HasSubstr("twice"));
}

TEST(Layer, RefusesASpecThatMakesNoSense) {
  EXPECT_NE(error_of(spec_of(Cell::lstm, {20}), {}), "");
}

TEST(Layer, RefusesRowsAndStatesOfTheWrongSize) {
  const ReaderSpec spec = spec_of(Cell::lstm, {4});
  const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
  LayerState state = layer.start();
  std::vector<float> out(2 * 11);
  std::vector<Step> steps(2);
  const std::vector<float> in = rows_of(2, 6);
  const auto message = [&](std::span<const float> rows, std::span<float> to, std::span<Step> into) {
    const Result<void> done = layer.read(rows, {}, state, to, into);
    return done ? std::string() : done.error().message;
  };
  EXPECT_THAT(message(std::span(in).first(7), out, steps), HasSubstr("rows of 6"));
  EXPECT_THAT(message(in, std::span(out).first(11), steps), HasSubstr("out has 11"));
  EXPECT_THAT(message(in, out, std::span(steps).first(1)), HasSubstr("steps has 1"));
  state.cell.clear();
  EXPECT_THAT(message(in, out, steps), HasSubstr("state.cell"));
  state = layer.start();
  state.hidden.resize(3);
  EXPECT_THAT(message(in, out, steps), HasSubstr("state.hidden"));
}

TEST(Layer, RefusesAThresholdThatIsNone) {
  const ReaderSpec spec = spec_of(Cell::lstm, {4});
  const Layer layer = Layer::create(spec, Weights(spec).tensors).value();
  LayerState state = layer.start();
  EXPECT_FALSE(layer.read({}, {.read_above = 2}, state, {}, {}).has_value());
  EXPECT_TRUE(layer.read({}, {}, state, {}, {}).has_value());
}

}  // namespace
}  // namespace skim
