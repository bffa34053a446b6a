// VCRNN (Jernite et al. 2017): for each word the network says which share m of itself it needs, and
// the first ceil(m d) units run, on as large a share of the input. The dial moves all shares: with
// threshold T the logit of m is lowered by that of T, so 0.5 is the model's own choice, 0 runs all
// units, 1 none.
#include "kernels/vary.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/fold.h"
#include "kernels/pool.h"
#include "kernels/target.h"
#include "readers/kinds.h"
#include "readers/leaping.h"
#include "readers/limits.h"
#include "spec/params.h"

namespace skim {
namespace {

// Row `gate * units + unit` of a matrix becomes lane `unit % lanes` of its block.
Buffer<float> in_blocks(const VaryPack& pack, std::span<const float> matrix, std::size_t columns) {
  const std::size_t gate_count = gates(pack.cell), lanes = pack.lanes;
  Buffer<float> packed(pack.blocks() * columns * gate_count * lanes);
  for (std::size_t unit = 0; unit < pack.units; ++unit) {
    for (std::size_t gate = 0; gate < gate_count; ++gate) {
      const float* row = matrix.data() + (gate * pack.units + unit) * columns;
      float* to =
          packed.data() + unit / lanes * columns * gate_count * lanes + gate * lanes + unit % lanes;
      for (std::size_t j = 0; j < columns; ++j)
        to[j * gate_count * lanes] = row[j] * gate_fold(pack.cell, gate);
    }
  }
  return packed;
}

VaryPack pack_cell(const ReaderSpec& spec, const Tensors& tensors) {
  const auto values = [&](std::string_view name) {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const Tensor& tensor) { return tensor.name == name; });
    return found == tensors.end() ? std::span<const float>() : found->values;
  };
  VaryPack pack;
  pack.cell = spec.cell;
  pack.lanes = vector_lanes();
  pack.units = static_cast<std::size_t>(spec.hidden);
  pack.inputs = static_cast<std::size_t>(spec.input);
  pack.w = in_blocks(pack, values("big.w"), pack.inputs);
  pack.u = in_blocks(pack, values("big.u"), pack.units);
  pack.b = in_blocks(pack, values("big.b"), 1);
  if (spec.cell != Cell::gru) return pack;
  pack.bn.grow(pack.blocks() * pack.lanes);
  const std::span<const float> inner = values("big.bn");
  for (std::size_t unit = 0; unit < pack.units; ++unit)
    pack.bn[unit] = inner[unit] * gate_fold(spec.cell, 2);
  return pack;
}

class VaryReader final : public Reader {
 public:
  VaryReader(const ReaderSpec& spec, const Tensors& tensors, const WordSource* words)
      : spec_(spec),
        words_(words),
        cell_(pack_cell(spec, tensors)),
        w_(with_slack(tensors, "extent.w")),
        u_(with_slack(tensors, "extent.u")),
        b_(with_slack(tensors, "extent.b")) {}

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
            std::span<Step> steps, Scratch& scratch) const noexcept override {
    const std::size_t count = input.count();
    const std::size_t vector = cell_.inputs + kPoolSlack;
    scratch.floats.grow(vector + state_floats());
    float* x = scratch.floats.data();
    float* log = output.log;
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t at = input.backward ? count - 1 - t : t;
      if (!input.words.empty()) {
        words_->vector(input.words[at], x);
      } else {
        std::memcpy(x, input.rows.row(at), cell_.inputs * sizeof(float));
      }
      const float need = logit_of_need(x, state);
      const int width = units_for(need - limit(policy, state));
      steps[at] = {static_cast<std::uint16_t>(width), 1 / (1 + std::exp(-need))};
      run(x, width, state, x + vector);
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
  std::size_t state_floats() const { return round_up(cell_.units, 16) + kPoolSlack; }

  static float limit(const Policy& policy, const State& state) noexcept {
    if (policy.rule == Policy::Rule::sample)
      return logit_of(draw(policy.seed, state.stream, state.position));
    return policy.rule == Policy::Rule::argmax ? 0 : logit_of(policy.read_above);
  }

  float logit_of_need(const float* x, const State& state) const noexcept {
    float of_input = 0, of_state = 0;
    const float none[1 + kPoolSlack] = {};
    dense({w_.data(), b_.data(), 1, cell_.inputs}, x, &of_input);
    dense({u_.data(), none, 1, cell_.units}, state.hidden.data(), &of_state);
    return of_input + of_state;
  }

  int units_for(float logit) const noexcept {
    const float share = 1 / (1 + std::exp(-logit));
    // Rows beyond all measure may make it no number at all, which is no width either.
    if (!(share > 0)) return 0;
    return std::min(spec_.hidden,
                    static_cast<int>(std::ceil(share * static_cast<float>(spec_.hidden))));
  }

  void run(const float* x, int width, State& state, float* next) const noexcept {
    if (width == 0) return;
    VaryStep step;
    step.x = x;
    step.inputs = static_cast<std::size_t>(spec_.inputs_for(width));
    step.units = static_cast<std::size_t>(width);
    step.hidden = state.hidden.data();
    step.cell = state.cell.data();
    step.next = next;
    vary_step(cell_, step);
  }

  ReaderSpec spec_;
  const WordSource* words_;
  VaryPack cell_;
  Buffer<float> w_, u_, b_;
};

}  // namespace

std::unique_ptr<Reader> make_vary_reader(const ReaderSpec& spec, const Tensors& tensors,
                                         const WordSource* words) {
  return std::make_unique<VaryReader>(spec, tensors, words);
}

}  // namespace skim
