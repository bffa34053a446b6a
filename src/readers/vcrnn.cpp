// VCRNN (Jernite et al. 2017), variable computation: for every word a scheduler predicts a fraction
// m, and the first ceil(m * hidden_size) units run, on the same fraction of the input. A threshold
// T lowers the logit of m by the logit of T: 0.5 follows the model, 0 runs all units, 1 none.
#include "kernels/vcrnn.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/fold.h"
#include "kernels/pool.h"
#include "kernels/target.h"
#include "readers/factories.h"
#include "readers/skipping.h"
#include "readers/thresholds.h"
#include "spec/params.h"

namespace skim {
namespace {

// Packs a matrix: row `gate * units + unit` becomes lane `unit % lanes` of its block.
Buffer<float> pack_blocks(const PackedVcrnnCell& pack, std::span<const float> matrix,
                          std::size_t columns) {
  const std::size_t gate_count = gates(pack.cell), lanes = pack.lanes;
  Buffer<float> packed(pack.blocks() * columns * gate_count * lanes);
  for (std::size_t unit = 0; unit < pack.units; ++unit) {
    for (std::size_t gate = 0; gate < gate_count; ++gate) {
      const float* row = matrix.data() + (gate * pack.units + unit) * columns;
      float* out =
          packed.data() + unit / lanes * columns * gate_count * lanes + gate * lanes + unit % lanes;
      for (std::size_t j = 0; j < columns; ++j)
        out[j * gate_count * lanes] = row[j] * gate_fold(pack.cell, gate);
    }
  }
  return packed;
}

PackedVcrnnCell pack_cell(const ReaderSpec& spec, const Tensors& tensors) {
  const auto values = [&](std::string_view name) {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const Tensor& tensor) { return tensor.name == name; });
    return found == tensors.end() ? std::span<const float>() : found->values;
  };
  PackedVcrnnCell pack;
  pack.cell = spec.cell;
  pack.lanes = vector_lanes();
  pack.units = static_cast<std::size_t>(spec.hidden_size);
  pack.inputs = static_cast<std::size_t>(spec.input_size);
  pack.weight_ih = pack_blocks(pack, values("big.weight_ih"), pack.inputs);
  pack.weight_hh = pack_blocks(pack, values("big.weight_hh"), pack.units);
  pack.bias = pack_blocks(pack, values("big.bias"), 1);
  if (spec.cell != Cell::gru) return pack;
  pack.bias_hn.grow(pack.blocks() * pack.lanes);
  const std::span<const float> bias_hn = values("big.bias_hn");
  for (std::size_t unit = 0; unit < pack.units; ++unit)
    pack.bias_hn[unit] = bias_hn[unit] * gate_fold(spec.cell, 2);
  return pack;
}

class VcrnnReader final : public Reader {
 public:
  VcrnnReader(const ReaderSpec& spec, const Tensors& tensors, const EmbeddingTable* embeddings)
      : spec_(spec),
        embeddings_(embeddings),
        cell_(pack_cell(spec, tensors)),
        weight_ih_(with_padding(tensors, "scheduler.weight_ih")),
        weight_hh_(with_padding(tensors, "scheduler.weight_hh")),
        bias_(with_padding(tensors, "scheduler.bias")) {}

  const ReaderSpec& spec() const override { return spec_; }

  void start(State& state) const override {
    state.hidden.grow(state_floats());
    state.hidden.clear();
    if (spec_.cell == Cell::lstm) {
      state.cell.grow(state_floats());
      state.cell.clear();
    }
    state.position = 0;
  }

  void read(const Input& input, const Policy& policy, State& state, const Output& output,
            std::span<Step> steps, Scratch& scratch) const override {
    const std::size_t count = input.count();
    const std::size_t x_floats = cell_.inputs + kPoolPadding;
    scratch.floats.grow(x_floats + state_floats());
    float* x = scratch.floats.data();
    float* log = output.log;
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t at = input.backward ? count - 1 - t : t;
      if (!input.ids.empty()) {
        lookup_word(*embeddings_, input.composed, input.ids[at], x);
      } else {
        std::memcpy(x, input.rows.row(at), cell_.inputs * sizeof(float));
      }
      const float scheduler = scheduler_logit(x, state);
      const int width = active_units(scheduler - threshold_logit(policy, state));
      steps[at] = {static_cast<std::uint16_t>(width), 1 / (1 + std::exp(-scheduler))};
      run_cell(x, width, state, x + x_floats);
      if (log != nullptr) {
        std::memcpy(log, state.hidden.data(), static_cast<std::size_t>(width) * sizeof(float));
        log += width;
      }
      if (output.rows.data != nullptr)
        std::memcpy(output.rows.row(at), state.hidden.data(), cell_.units * sizeof(float));
      ++state.position;
    }
  }

 private:
  std::size_t state_floats() const { return round_up(cell_.units, 16) + kPoolPadding; }

  static float threshold_logit(const Policy& policy, const State& state) noexcept {
    if (policy.rule == Policy::Rule::sample)
      return logit(uniform(policy.seed, state.stream, state.position));
    return policy.rule == Policy::Rule::argmax ? 0 : logit(policy.threshold);
  }

  float scheduler_logit(const float* x, const State& state) const noexcept {
    float input_part = 0, state_part = 0;
    const float zero_bias[1 + kPoolPadding] = {};
    linear({weight_ih_.data(), bias_.data(), 1, cell_.inputs}, x, &input_part);
    linear({weight_hh_.data(), zero_bias, 1, cell_.units}, state.hidden.data(), &state_part);
    return input_part + state_part;
  }

  int active_units(float fraction_logit) const noexcept {
    const float fraction = 1 / (1 + std::exp(-fraction_logit));
    // Written so that NaN, which huge inputs may cause, updates nothing.
    if (!(fraction > 0)) return 0;
    return std::min(spec_.hidden_size,
                    static_cast<int>(std::ceil(fraction * static_cast<float>(spec_.hidden_size))));
  }

  void run_cell(const float* x, int width, State& state, float* next) const noexcept {
    if (width == 0) return;
    VcrnnStep step;
    step.x = x;
    step.inputs = static_cast<std::size_t>(spec_.input_prefix(width));
    step.units = static_cast<std::size_t>(width);
    step.hidden = state.hidden.data();
    step.cell = state.cell.data();
    step.next = next;
    vcrnn_step(cell_, step);
  }

  ReaderSpec spec_;
  const EmbeddingTable* embeddings_;
  PackedVcrnnCell cell_;
  Buffer<float> weight_ih_, weight_hh_, bias_;
};

}  // namespace

std::unique_ptr<Reader> make_vcrnn_reader(const ReaderSpec& spec, const Tensors& tensors,
                                          const EmbeddingTable* embeddings) {
  return std::make_unique<VcrnnReader>(spec, tensors, embeddings);
}

}  // namespace skim
