// All that a training knows, out for a checkpoint and in again.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "train/fit.h"

namespace skim::train {
namespace {

void keep(std::map<std::string, std::vector<float>>& arrays, const std::string& name,
          const Slot& slot) {
  arrays[name + "/first"] = slot.first;
  arrays[name + "/second"] = slot.second;
  arrays[name + "/average"] = slot.average;
}

bool fetch(const std::map<std::string, std::vector<float>>& arrays, const std::string& name,
           std::vector<float>& into) {
  const auto found = arrays.find(name);
  if (found == arrays.end() || found->second.size() != into.size()) return false;
  into = found->second;
  return true;
}

bool fetch(const std::map<std::string, std::vector<float>>& arrays, const std::string& name,
           Slot& slot) {
  return fetch(arrays, name + "/first", slot.first) &&
         fetch(arrays, name + "/second", slot.second) &&
         fetch(arrays, name + "/average", slot.average);
}

}  // namespace

void Fit::save(State& state) const {
  state.step = step_;
  state.skims_from = skims_from_;
  state.loss = progress_.loss;
  state.skim_rate = progress_.skim_rate;
  state.seconds = progress_.seconds;
  std::size_t i = 0;
  for (const std::string& name : weights_.names()) {
    const Tensor& tensor = weights_.at(name);
    const float* values = tensor.data_ptr<float>();
    state.arrays[name].assign(values, values + tensor.numel());
    keep(state.arrays, name, adam_.slots[i++]);
  }
  state.arrays["words"] = words_.values;
  keep(state.arrays, "words", words_.slot);
  state.touched = words_.touched;
  state.best = best_;
}

Result<void> Fit::load(const State& state) {
  const auto wrong = [](const std::string& name) {
    return fail(Fault::mismatch, "the checkpoint's '" + name +
                                     "' has another size than this training needs; it was made "
                                     "with other options or other data");
  };
  std::size_t i = 0;
  for (const std::string& name : weights_.names()) {
    const Tensor& tensor = weights_.at(name);
    std::vector<float> values(static_cast<std::size_t>(tensor.numel()));
    if (!fetch(state.arrays, name, values) || !fetch(state.arrays, name, adam_.slots[i++]))
      return wrong(name);
    std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  }
  if (!fetch(state.arrays, "words", words_.values) || !fetch(state.arrays, "words", words_.slot) ||
      state.touched.size() != words_.touched.size())
    return wrong("words");
  words_.touched = state.touched;
  step_ = state.step;
  skims_from_ = state.skims_from;
  best_ = state.best;
  best_step_ = std::max(state.best.step, skims_from_ <= step_ ? skims_from_ : 0);
  progress_.step = step_;
  progress_.loss = state.loss;
  progress_.skim_rate = state.skim_rate;
  progress_.seconds = state.seconds;
  return {};
}

}  // namespace skim::train
