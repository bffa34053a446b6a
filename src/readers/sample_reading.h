// Random weights and texts for tests of readers, and what a reader makes of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "readers/reader.h"
#include "spec/params.h"

namespace skim::sample {

// Numbers from -1 to 1 by a linear congruence: tens of millions are drawn here, and the standard
// library's way takes longer than reading with them.
inline std::vector<float> random_values(std::size_t count, std::uint64_t& state) {
  std::vector<float> values(count);
  for (float *value = values.data(), *end = value + count; value != end; ++value) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    *value = static_cast<float>(static_cast<std::int32_t>(state >> 32)) * 0x1p-31F;
  }
  return values;
}

// Random weights for a spec, with the views that make_reader wants.
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

// What a reader made of its input.
struct Outcome {
  std::vector<float> rows, hidden, log;
  std::vector<Step> steps;
};

inline Outcome run(const Reader& reader, const Input& input, const Policy& policy, State& state) {
  const auto hidden = static_cast<std::size_t>(reader.spec().hidden);
  Outcome result;
  result.rows.resize(input.count() * hidden);
  result.log.resize(input.count() * hidden + kLogSlack);
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

inline Input of_rows(Rows rows) {
  Input input;
  input.rows = rows;
  return input;
}

class RowSource final : public WordSource {
 public:
  explicit RowSource(Rows rows) : rows_(rows) {}
  std::size_t count() const override { return rows_.count; }
  std::size_t width() const override { return rows_.width; }
  void vector(std::uint32_t id, float* out) const noexcept override {
    std::copy_n(rows_.row(id), rows_.width, out);
  }

 private:
  Rows rows_;
};

}  // namespace skim::sample
