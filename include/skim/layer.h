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

// State of a layer between two calls, with its working memory. Layer::start makes one. Copying
// copies the state. Not thread-safe.
class LayerState {
 public:
  LayerState(const LayerState& other);
  LayerState(LayerState&&) noexcept;
  LayerState& operator=(const LayerState& other);
  LayerState& operator=(LayerState&&) noexcept;
  ~LayerState();

  std::span<const float> hidden() const;  // hidden_size values
  std::span<const float> cell() const;    // hidden_size values; empty unless the cell is an LSTM
  std::uint64_t position() const;         // rows read so far; Policy::Rule::sample depends on it

  // Replace the values, as an initial state other than zero. Fail unless the size is that of
  // hidden() or cell().
  Result<void> set_hidden(std::span<const float> values);
  Result<void> set_cell(std::span<const float> values);

 private:
  friend class Layer;
  struct Impl;
  explicit LayerState(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Immutable and cheap to copy; any number of threads may share one, each with its own state.
class Layer {
 public:
  static Result<Layer> create(const ReaderSpec& spec, std::span<const NamedTensor> tensors,
                              WeightType weight_type = WeightType::f32);

  const ReaderSpec& spec() const;
  LayerState start() const;

  // Reads `in` (count x input_size, row-major), continuing from `state`, which start() of this
  // layer made. `out` (count x hidden_size) gets the hidden state after each row, `steps` (count,
  // or empty) the decision at each row. Reading in chunks equals reading at once. Allocates nothing
  // once `state` has been used for as many rows.
  Result<void> read(std::span<const float> in, Policy policy, LayerState& state,
                    std::span<float> out, std::span<Step> steps) const;

 private:
  struct Parts;
  explicit Layer(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const Parts> parts_;
};

}  // namespace skim
