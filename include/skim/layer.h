// A reader without text around it: rows of floats in, equally many rows out, in place of any
// recurrent layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "skim/policy.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "skim/trace.h"

namespace skim {

// One named matrix or vector, row-major, borrowed from the caller for the time of the call.
struct NamedTensor {
  std::string name;  // as in docs/file-format.md without the reader's prefix: "big.w", "small.1.u",
                     // "decision.b", ...
  std::vector<std::size_t> shape;
  std::span<const float> values;
};

// Where a reader that leaves words out stands between two of them.
struct Pace {
  std::uint64_t reading = 0;  // jump: words (or sentences) of the run still to read
  std::uint64_t passing = 0;  // jump: words (or sentences) still to pass over
  std::uint64_t jumps = 0;    // jump: taken so far
  float urge = 1;             // skip: how much the next word should be read
  float growth = 0;           // skip: by how much that grows with each word left out
};

// Where a layer stands between two calls. Starts at zero; make it with Layer::start.
struct LayerState {
  std::vector<float> hidden;   // d values
  std::vector<float> cell;     // d values; empty unless LSTM
  std::uint64_t position = 0;  // rows read so far: sampling draws depend on it
  std::uint32_t sweep =
      0;      // direction of the next pass over the weights; keeps chunks equal to the whole
  Pace pace;  // of jump and skip readers
};

class Layer {
 public:
  static Result<Layer> create(const ReaderSpec& spec, std::span<const NamedTensor> tensors,
                              WeightType weights = WeightType::f32);

  const ReaderSpec& spec() const;
  LayerState start() const;

  // Reads `in` (count x spec().input, row-major) on from `state`. out (count x hidden) gets the
  // hidden state after each row, steps (count, or empty when not wanted) what each row cost.
  // Reading in chunks equals reading at once.
  Result<void> read(std::span<const float> in, Policy policy, LayerState& state,
                    std::span<float> out, std::span<Step> steps) const;

 private:
  struct Parts;
  explicit Layer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace skim
