// Skip RNN (Campos et al. 2018): every word adds delta to the update probability; a word is read
// when the probability exceeds the threshold. delta is a function of the state after the last read,
// so the number of skipped words is known in advance and their embeddings are never accessed.
#include <algorithm>
#include <cmath>

#include "kernels/pool.h"
#include "readers/factories.h"
#include "readers/skipping.h"
#include "readers/thresholds.h"

namespace skim {
namespace {

class SkipRnnReader final : public SkippingReader {
 public:
  SkipRnnReader(const ReaderSpec& spec, const Tensors& tensors, WeightType weights,
                const EmbeddingTable* embeddings, std::size_t table_bytes)
      : SkippingReader(spec, tensors, weights, embeddings, table_bytes),
        weight_(with_padding(tensors, "update.weight")),
        bias_(with_padding(tensors, "update.bias")) {}

 protected:
  void init_skip_state(SkipState& skip_state) const override { skip_state.update_prob = 1; }

  Segment next_segment(const Remaining& /*remaining*/, const Policy& policy,
                       const State& state) const noexcept override {
    return {state.skip_state.update_prob > read_threshold(policy, state), 1,
            state.skip_state.update_prob};
  }

  void after_step(const Segment& segment, const Policy& /*policy*/, State& state,
                  Scratch& scratch) const override {
    SkipState& skip_state = state.skip_state;
    if (segment.read) {
      skip_state.update_prob = skip_state.delta = compute_delta(state, scratch);
    } else {
      skip_state.update_prob += std::min(skip_state.delta, 1 - skip_state.update_prob);
    }
  }

 private:
  static float read_threshold(const Policy& policy, const State& state) noexcept {
    if (policy.rule == Policy::Rule::sample)
      return uniform(policy.seed, state.stream, state.position);
    return policy.rule == Policy::Rule::argmax ? 0.5F : policy.threshold;
  }

  float compute_delta(const State& state, Scratch& scratch) const {
    const float* input = (spec().cell == Cell::lstm ? state.cell : state.hidden).data();
    scratch.floats.grow(1 + kPoolPadding);
    float* logit = scratch.floats.data();
    linear({weight_.data(), bias_.data(), 1, static_cast<std::size_t>(spec().hidden_size)}, input,
           logit);
    return 1 / (1 + std::exp(-*logit));
  }

  Buffer<float> weight_, bias_;
};

}  // namespace

std::unique_ptr<Reader> make_skip_rnn_reader(const ReaderSpec& spec, const Tensors& tensors,
                                             WeightType weights, const EmbeddingTable* embeddings,
                                             std::size_t table_bytes) {
  return std::make_unique<SkipRnnReader>(spec, tensors, weights, embeddings, table_bytes);
}

}  // namespace skim
