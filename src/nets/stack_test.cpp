#include "nets/stack.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nets/sample_parts.h"
#include "spec/params.h"

namespace skim {
namespace {

// Two layers in both directions.
ModelSpec stacked_spec(ReaderKind kind = ReaderKind::skim) {
  ModelSpec spec = sample_spec();
  spec.reader.kind = kind;
  if (kind != ReaderKind::skim) spec.reader.skim_sizes.clear();
  spec.num_layers = 2;
  spec.bidirectional = true;
  return spec;
}

const std::vector<std::uint32_t> kIds = {3, 1, 4, 1, 5, 0, 2, 6, 5, 3, 5};

Input ids_input(std::span<const std::uint32_t> words = kIds) {
  Input input;
  input.ids = words;
  return input;
}

std::unique_ptr<Reader> reader_alone(const SampleParts& sample, int layer, bool backward) {
  const ReaderSpec spec = sample.spec().layer_reader(layer);
  std::vector<std::vector<float>> values;
  Tensors tensors;
  const std::vector<TensorSpec> wanted = reader_tensors(spec);
  for (const TensorSpec& tensor : wanted) {
    values.push_back(sample.values(reader_prefix(layer, backward) + tensor.name));
    tensors.push_back({tensor.name, values.back()});
  }
  return make_reader(spec, tensors, WeightType::f32, layer == 0 ? &sample.embeddings() : nullptr,
                     std::size_t{1} << 20U);
}

// Both directions of one layer side by side, each by a reader of its own.
std::vector<float> read_layer(const SampleParts& sample, int layer, Input input,
                              std::vector<std::vector<Step>>& steps) {
  const auto hidden = static_cast<std::size_t>(sample.spec().reader.hidden_size);
  std::vector<float> rows(input.count() * 2 * hidden);
  for (const bool backward : {false, true}) {
    const auto reader = reader_alone(sample, layer, backward);
    State state;
    Scratch scratch;
    reader->start(state);
    Output output;
    output.rows = {rows.data() + (backward ? hidden : 0), input.count(), hidden, 2 * hidden};
    input.backward = backward;
    steps.emplace_back(input.count());
    reader->read(input, {}, state, output, steps.back(), scratch);
  }
  return rows;
}

TEST(Stack, UpperLayersReadBothDirectionsOfTheLayerBelow) {
  for (const ReaderKind kind : {ReaderKind::dense, ReaderKind::skim, ReaderKind::vcrnn}) {
    const SampleParts sample(stacked_spec(kind));
    const Stack stack(sample.parts(), sample.spec().stacks().front(), StackOutput::rows);
    NetMemory memory;
    stack.start(memory);
    const Rows rows = stack.forward(ids_input(), {}, memory);

    std::vector<std::vector<Step>> steps;
    const std::vector<float> below = read_layer(sample, 0, ids_input(), steps);
    Input above;
    above.rows = {below.data(), kIds.size(), stack.output_size(), stack.output_size()};
    const std::vector<float> expected = read_layer(sample, 1, above, steps);

    ASSERT_EQ(rows.count, kIds.size());
    for (std::size_t i = 0; i < rows.count; ++i) {
      for (std::size_t j = 0; j < stack.output_size(); ++j)
        EXPECT_EQ(rows.row(i)[j], expected[i * stack.output_size() + j]) << "row " << i;
    }
    ASSERT_EQ(stack.passes(), steps.size());
    for (std::size_t pass = 0; pass < steps.size(); ++pass)
      EXPECT_EQ(memory.passes[pass].steps, steps[pass]) << "pass " << pass;
  }
}

TEST(Stack, FinalStatesAreThoseOfTheOuterRows) {
  const SampleParts sample(stacked_spec());
  const Stack stack(sample.parts(), sample.spec().stacks().front(), StackOutput::rows);
  NetMemory memory;
  stack.start(memory);
  const Rows rows = stack.forward(ids_input(), {}, memory);
  const State& forward = stack.last_pass(memory, 0).state;
  const State& backward = stack.last_pass(memory, 1).state;
  for (std::size_t j = 0; j < stack.hidden_size(); ++j) {
    EXPECT_EQ(forward.hidden[j], rows.row(rows.count - 1)[j]);
    EXPECT_EQ(backward.hidden[j], rows.row(0)[stack.hidden_size() + j]);
  }
}

TEST(Stack, PoolingTheLogEqualsPoolingTheRows) {
  for (const ReaderKind kind : {ReaderKind::skim, ReaderKind::vcrnn}) {
    const SampleParts sample(stacked_spec(kind));
    const StackSpec spec = sample.spec().stacks().front();
    const Stack with_rows(sample.parts(), spec, StackOutput::rows),
        with_log(sample.parts(), spec, StackOutput::updates);
    NetMemory memory, log_memory;
    with_rows.start(memory);
    with_log.start(log_memory);
    const Rows rows = with_rows.forward(ids_input(), {}, memory);
    with_log.forward(ids_input(), {}, log_memory);
    for (std::size_t direction = 0; direction < 2; ++direction) {
      std::vector<float> pooled(with_log.hidden_size() + kPoolPadding);
      pool_max(with_log.update_log(log_memory, direction), pooled.data());
      for (std::size_t j = 0; j < with_log.hidden_size(); ++j) {
        float largest = rows.row(0)[direction * with_log.hidden_size() + j];
        for (std::size_t i = 1; i < rows.count; ++i)
          largest = std::max(largest, rows.row(i)[direction * with_log.hidden_size() + j]);
        EXPECT_EQ(pooled[j], largest) << "unit " << j;
      }
    }
  }
}

TEST(Stack, ReadingInChunksEqualsReadingTheWhole) {
  ModelSpec spec = stacked_spec();
  spec.bidirectional = false;
  const SampleParts sample(spec);
  const Stack stack(sample.parts(), spec.stacks().front(), StackOutput::final_state);
  NetMemory whole, chunks;
  stack.start(whole);
  stack.forward(ids_input(), {}, whole);
  stack.start(chunks);
  for (std::size_t first = 0; first < kIds.size(); first += 4) {
    const std::size_t count = std::min<std::size_t>(4, kIds.size() - first);
    stack.forward(ids_input(std::span(kIds).subspan(first, count)), {}, chunks);
  }
  for (std::size_t pass = 0; pass < stack.passes(); ++pass) {
    EXPECT_EQ(chunks.passes[pass].steps, whole.passes[pass].steps);
    for (std::size_t j = 0; j < stack.hidden_size(); ++j)
      EXPECT_EQ(chunks.passes[pass].state.hidden[j], whole.passes[pass].state.hidden[j]);
  }
}

TEST(Stack, StartingAgainForgetsWhatWasRead) {
  const SampleParts sample(stacked_spec());
  const Stack stack(sample.parts(), sample.spec().stacks().front(), StackOutput::rows);
  NetMemory memory;
  std::vector<float> first;
  for (int time = 0; time < 2; ++time) {
    stack.start(memory);
    const Rows rows = stack.forward(ids_input(), {}, memory);
    const std::vector<float> values(rows.data, rows.data + rows.count * rows.stride);
    if (time == 0) first = values;
    EXPECT_EQ(values, first);
  }
}

TEST(Stack, NothingToReadLeavesZeroStates) {
  const SampleParts sample(stacked_spec());
  const Stack stack(sample.parts(), sample.spec().stacks().front(), StackOutput::rows);
  NetMemory memory;
  stack.start(memory);
  EXPECT_EQ(stack.forward(ids_input({}), {}, memory).count, 0U);
  for (std::size_t j = 0; j < stack.hidden_size(); ++j)
    EXPECT_EQ(stack.last_pass(memory, 1).state.hidden[j], 0.0F);
}

}  // namespace
}  // namespace skim
