// Random weights and inputs for the tests of readers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "readers/reader.h"
#include "spec/params.h"

namespace skim::sample {

// Uniform numbers in [-1, 1) from a linear congruential generator: tests draw tens of millions of
// them, and the standard library's generators would take longer than the readers.
inline std::vector<float> random_values(std::size_t count, std::uint64_t& state) {
  std::vector<float> values(count);
  for (float *value = values.data(), *end = value + count; value != end; ++value) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    *value = static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31F;
  }
  return values;
}

// Random weights for a spec, with the views that make_reader takes.
struct Weights {
  std::vector<std::string> names;
  std::vector<std::vector<float>> values;
  Tensors tensors;

  Weights(const ReaderSpec& spec, std::uint64_t seed) {
    for (const TensorSpec& tensor : reader_tensors(spec)) {
      std::size_t count = 1;
      for (const std::size_t size : tensor.shape) count *= size;
      const float scale = 1.5F / std::sqrt(static_cast<float>(tensor.shape.back()));
      names.push_back(tensor.name);
      values.push_back(random_values(count, seed));
      for (float *value = values.back().data(), *end = value + count; value != end; ++value)
        *value *= scale;
    }
    for (std::size_t i = 0; i < names.size(); ++i) tensors.push_back({names[i], values[i]});
  }
};

// A sequence of random input rows.
struct Text {
  std::size_t width;
  std::vector<float> values;
  Text(std::size_t count, int input, std::uint64_t seed)
      : width(static_cast<std::size_t>(input)), values(random_values(count * width, seed)) {}
  Rows rows() const { return {values.data(), values.size() / width, width, width}; }
  Rows part(std::size_t first, std::size_t count) const {
    return {values.data() + first * width, count, width, width};
  }
};

// The outputs of a reader.
struct Outcome {
  std::vector<float> rows, hidden, log;
  std::vector<Step> steps;
};

inline Outcome run(const Reader& reader, const Input& input, const Policy& policy, State& state) {
  const auto hidden = static_cast<std::size_t>(reader.spec().hidden_size);
  Outcome result;
  result.rows.resize(input.count() * hidden);
  result.log.resize(input.count() * hidden + kLogPadding);
  result.steps.resize(input.count());
  Scratch scratch;
  Output output{{result.rows.data(), input.count(), hidden, hidden}, result.log.data()};
  reader.read(input, policy, state, output, result.steps, scratch);
  result.hidden.assign(state.hidden.data(), state.hidden.data() + hidden);
  return result;
}

inline Outcome run(const Reader& reader, const Input& input, const Policy& policy = {}) {
  State state;
  reader.start(state);
  return run(reader, input, policy, state);
}

inline Input rows_input(Rows rows) {
  Input input;
  input.rows = rows;
  return input;
}

class RowEmbeddings final : public EmbeddingTable {
 public:
  explicit RowEmbeddings(Rows rows) : rows_(rows) {}
  std::size_t num_embeddings() const override { return rows_.count; }
  std::size_t embedding_size() const override { return rows_.width; }
  void lookup(std::uint32_t id, float* out) const noexcept override {
    std::copy_n(rows_.row(id), rows_.width, out);
  }

 private:
  Rows rows_;
};

}  // namespace skim::sample
