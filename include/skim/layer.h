// A single reader as a recurrent layer: rows of floats in, one row of hidden state per row out.
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

// A named matrix or vector, row-major. Does not own `values`.
struct NamedTensor {
  // As in docs/file-format.md without the reader's prefix: "big.weight_ih", "small.1.weight_hh",
  // "decision.bias", ...
  std::string name;
  std::vector<std::size_t> shape;
  std::span<const float> values;
};

// State of lstm_jump and skip_rnn readers between two words.
struct SkipState {
  std::uint64_t tokens_to_read = 0;  // lstm_jump: words (or sentences) to read before the next jump
  std::uint64_t tokens_to_skip = 0;  // lstm_jump: words (or sentences) left in the current jump
  std::uint64_t jumps_taken = 0;     // lstm_jump
  float update_prob = 1;             // skip_rnn: probability that the next word is read (u~)
  float delta = 0;                   // skip_rnn: added to update_prob per skipped word
};

// State of a layer between two calls. Layer::start makes the initial one.
struct LayerState {
  std::vector<float> hidden;                // hidden_size values
  std::vector<float> cell;                  // hidden_size values; LSTM only
  std::uint64_t position = 0;               // rows read so far; Rule::sample depends on it
  std::uint32_t weight_scan_direction = 0;  // of the next pass over the weights; makes chunked
                                            // reads equal to one read bit by bit
  SkipState skip_state;                     // lstm_jump and skip_rnn only
};

// Immutable and cheap to copy; any number of threads may share one, each with its own state.
class Layer {
 public:
  static Result<Layer> create(const ReaderSpec& spec, std::span<const NamedTensor> tensors,
                              WeightType weight_type = WeightType::f32);

  const ReaderSpec& spec() const;
  LayerState start() const;

  // Reads `in` (count x input_size, row-major), continuing from `state`. `out` (count x
  // hidden_size) gets the hidden state after each row, `steps` (count, or empty) the decision at
  // each row. Reading in chunks equals reading at once.
  Result<void> read(std::span<const float> in, Policy policy, LayerState& state,
                    std::span<float> out, std::span<Step> steps) const;

 private:
  struct Parts;
  explicit Layer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace skim
