// Saving and restoring the complete state of a run, for checkpoints.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "train/fit.h"

namespace skim::train {
namespace {

void store(std::map<std::string, std::vector<float>>& arrays, const std::string& name,
           const AdamState& state) {
  arrays[name + "/exp_avg"] = state.exp_avg;
  arrays[name + "/exp_avg_sq"] = state.exp_avg_sq;
  arrays[name + "/ema"] = state.ema;
}

bool restore(const std::map<std::string, std::vector<float>>& arrays, const std::string& name,
             std::vector<float>& into) {
  const auto found = arrays.find(name);
  if (found == arrays.end() || found->second.size() != into.size()) return false;
  into = found->second;
  return true;
}

bool restore(const std::map<std::string, std::vector<float>>& arrays, const std::string& name,
             AdamState& state) {
  return restore(arrays, name + "/exp_avg", state.exp_avg) &&
         restore(arrays, name + "/exp_avg_sq", state.exp_avg_sq) &&
         restore(arrays, name + "/ema", state.ema);
}

}  // namespace

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
    store(state.arrays, name, adam_.states[i++]);
  }
  state.arrays["embedding.weight"] = embedding_.values;
  store(state.arrays, "embedding.weight", embedding_.state);
  state.ema_steps = embedding_.ema_steps;
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
    if (!restore(state.arrays, name, values) || !restore(state.arrays, name, adam_.states[i++]))
      return wrong(name);
    std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  }
  if (!restore(state.arrays, "embedding.weight", embedding_.values) ||
      !restore(state.arrays, "embedding.weight", embedding_.state) ||
      state.ema_steps.size() != embedding_.ema_steps.size())
    return wrong("embedding.weight");
  embedding_.ema_steps = state.ema_steps;
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
