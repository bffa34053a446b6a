// Saving and restoring the complete state of a run, for checkpoints.
#include <algorithm>
#include <string>
#include <vector>

#include "train/fit.h"

namespace skim::train {
void Fit::save(TrainingState& state) const {
  state.step = step_;
  state.skim_start_step = skim_start_step_;
  state.loss = progress_.loss;
  state.skim_rate = progress_.skim_rate;
  state.seconds = progress_.seconds;
  std::size_t i = 0;
  for (const std::string& name : weights_.names()) {
    const Tensor& tensor = weights_.at(name);
    const float* values = tensor.data_ptr<float>();
    state.arrays[name].assign(values, values + tensor.numel());
    store(name, adam_.states[i++], state);
  }
  embeddings_.save(state);
  state.best = best_;
}

Result<void> Fit::load(const TrainingState& state) {
  const auto wrong = [](const std::string& name) {
    return fail(Fault::mismatch, "the checkpoint's '" + name +
                                     "' does not have the expected size; it was made with other "
                                     "options or other data");
  };
  std::size_t i = 0;
  for (const std::string& name : weights_.names()) {
    const Tensor& tensor = weights_.at(name);
    std::vector<float> values(static_cast<std::size_t>(tensor.numel()));
    if (!restore(name, state, values) || !restore(name, state, adam_.states[i++]))
      return wrong(name);
    std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  }
  if (const auto name = embeddings_.load(state)) return wrong(*name);
  step_ = state.step;
  skim_start_step_ = state.skim_start_step;
  best_ = state.best;
  best_step_ = std::max(state.best.step, skim_start_step_ <= step_ ? skim_start_step_ : 0);
  progress_.step = step_;
  progress_.loss = state.loss;
  progress_.skim_rate = state.skim_rate;
  progress_.seconds = state.seconds;
  return {};
}

}  // namespace skim::train
