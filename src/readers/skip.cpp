// Skip RNN (Campos et al. 2018): each word adds to an urge to read, by an amount that the state
// sets after every read; the word that lifts it above the threshold is read. So the length of a
// pause is known when it begins, and the words in it are not even looked at.
#include <algorithm>
#include <cmath>

#include "kernels/pool.h"
#include "readers/kinds.h"
#include "readers/leaping.h"
#include "readers/limits.h"

namespace skim {
namespace {

class SkipReader final : public LeapingReader {
 public:
  SkipReader(const ReaderSpec& spec, const Tensors& tensors, WeightType weights,
             const WordSource* words, std::size_t table_bytes)
      : LeapingReader(spec, tensors, weights, words, table_bytes),
        w_(with_slack(tensors, "update.w")),
        b_(with_slack(tensors, "update.b")) {}

 protected:
  void begin(Pace& pace) const override { pace.urge = 1; }

  Leap next(const Ahead& /*ahead*/, const Policy& policy,
            const State& state) const noexcept override {
    return {state.pace.urge > limit(policy, state), 1, state.pace.urge};
  }

  void passed(const Leap& leap, const Policy& /*policy*/, State& state,
              Scratch& scratch) const noexcept override {
    Pace& pace = state.pace;
    if (leap.read) {
      pace.urge = pace.growth = growth(state, scratch);
    } else {
      pace.urge += std::min(pace.growth, 1 - pace.urge);
    }
  }

 private:
  static float limit(const Policy& policy, const State& state) noexcept {
    if (policy.rule == Policy::Rule::sample) return draw(policy.seed, state.stream, state.position);
    return policy.rule == Policy::Rule::argmax ? 0.5F : policy.read_above;
  }

  float growth(const State& state, Scratch& scratch) const noexcept {
    const float* seen = (spec().cell == Cell::lstm ? state.cell : state.hidden).data();
    scratch.floats.grow(1 + kPoolSlack);
    float* sum = scratch.floats.data();
    dense({w_.data(), b_.data(), 1, static_cast<std::size_t>(spec().hidden)}, seen, sum);
    return 1 / (1 + std::exp(-*sum));
  }

  Buffer<float> w_, b_;
};

}  // namespace

std::unique_ptr<Reader> make_skip_reader(const ReaderSpec& spec, const Tensors& tensors,
                                         WeightType weights, const WordSource* words,
                                         std::size_t table_bytes) {
  return std::make_unique<SkipReader>(spec, tensors, weights, words, table_bytes);
}

}  // namespace skim
