#include "train/optimizer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace skim::train {
namespace {

struct StepRates {
  float step, beta1, beta2, epsilon, scale, ema_decay;
};

StepRates step_rates(const AdamOptions& options, std::int64_t step, double scale) {
  const auto n = static_cast<double>(step + 1);
  const double first = 1 - std::pow(options.beta1, n), second = 1 - std::pow(options.beta2, n);
  // Early averages would be of the random initialization: the decay grows with the steps.
  const double ema_decay =
      options.ema_decay == 0 ? 0 : std::min(options.ema_decay, (1 + n) / (10 + n));
  return {static_cast<float>(options.learning_rate * std::sqrt(second) / first),
          static_cast<float>(options.beta1),
          static_cast<float>(options.beta2),
          static_cast<float>(options.epsilon * std::sqrt(second)),
          static_cast<float>(scale),
          static_cast<float>(ema_decay)};
}

// One step of Adam over `count` values.
void adam(float* values, AdamState& state, std::size_t at, const float* gradients,
          std::size_t count, const StepRates& rates, float lr_scale) {
  float* first = state.exp_avg.data() + at;
  float* second = state.exp_avg_sq.data() + at;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradients[i] * rates.scale;
    first[i] = rates.beta1 * first[i] + (1 - rates.beta1) * g;
    second[i] = rates.beta2 * second[i] + (1 - rates.beta2) * g * g;
    values[i] -= lr_scale * rates.step * first[i] / (std::sqrt(second[i]) + rates.epsilon);
  }
}

// Compares exponents as integers, which compilers vectorize.
bool all_finite(const float* values, std::size_t count) {
  constexpr std::uint32_t kMagnitude = 0x7FFF'FFFF, kInfinity = 0x7F80'0000;
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & kMagnitude);
  return largest < kInfinity;
}

bool all_finite(const std::vector<float>& values) {
  return all_finite(values.data(), values.size());
}

void accumulate_ema(float* ema, const float* values, std::size_t count, float decay) {
  for (std::size_t i = 0; i < count; ++i) ema[i] += (1 - decay) * (values[i] - ema[i]);
}

}  // namespace

void store(const std::string& name, const AdamState& state, TrainingState& into) {
  into.arrays[name + "/exp_avg"] = state.exp_avg;
  into.arrays[name + "/exp_avg_sq"] = state.exp_avg_sq;
  into.arrays[name + "/ema"] = state.ema;
}

bool restore(const std::string& name, const TrainingState& from, std::vector<float>& values) {
  const auto found = from.arrays.find(name);
  if (found == from.arrays.end() || found->second.size() != values.size()) return false;
  values = found->second;
  return true;
}

bool restore(const std::string& name, const TrainingState& from, AdamState& state) {
  return restore(name + "/exp_avg", from, state.exp_avg) &&
         restore(name + "/exp_avg_sq", from, state.exp_avg_sq) &&
         restore(name + "/ema", from, state.ema);
}

std::vector<std::int32_t> unique_ids(std::vector<std::int32_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

EmbeddingTable::EmbeddingTable(InitialRows rows, const AdamOptions& options)
    : values(std::move(rows.values)),
      options_(options),
      embedding_size_(rows.embedding_size),
      lr_scales_(std::move(rows.lr_scales)) {
  trainable_ =
      std::any_of(lr_scales_.begin(), lr_scales_.end(), [](float scale) { return scale > 0; });
  state.exp_avg.assign(values.size(), 0);
  state.exp_avg_sq.assign(values.size(), 0);
  ema_steps.assign(lr_scales_.size(), 0);
  if (options.ema_decay > 0) state.ema = values;
}

torch::Tensor EmbeddingTable::rows(const std::vector<std::int32_t>& words) const {
  torch::Tensor out = torch::empty({static_cast<std::int64_t>(words.size()), embedding_size_});
  float* to = out.data_ptr<float>();
  const auto size = static_cast<std::size_t>(embedding_size_);
  for (std::size_t i = 0; i < words.size(); ++i)
    std::copy_n(values.data() + static_cast<std::size_t>(words[i]) * size, size, to + i * size);
  return out;
}

void EmbeddingTable::update_ema(std::size_t word, std::int64_t step) {
  if (state.ema.empty() || ema_steps[word] >= step) return;
  double decay = 1;
  for (auto n = static_cast<std::int64_t>(ema_decays_.size()); n < step; ++n)
    ema_decays_.push_back(static_cast<double>(step_rates(options_, n, 1).ema_decay));
  for (std::int64_t n = ema_steps[word]; n < step; ++n) {
    decay *= ema_decays_[static_cast<std::size_t>(n)];
    if (decay < 1e-12) break;
  }
  const auto size = static_cast<std::size_t>(embedding_size_);
  accumulate_ema(state.ema.data() + word * size, values.data() + word * size, size,
                 static_cast<float>(decay));
  ema_steps[word] = static_cast<std::int32_t>(step);
}

void EmbeddingTable::update(const std::vector<std::int32_t>& words, const float* gradients,
                            std::int64_t step, double scale) {
  const StepRates rates = step_rates(options_, step, scale);
  const auto size = static_cast<std::size_t>(embedding_size_);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = static_cast<std::size_t>(words[i]);
    if (lr_scales_[word] == 0) continue;
    update_ema(word, step);
    adam(values.data() + word * size, state, word * size, gradients + i * size, size, rates,
         lr_scales_[word]);
  }
}

bool EmbeddingTable::is_finite(const std::vector<std::int32_t>& words) const {
  const auto size = static_cast<std::size_t>(embedding_size_);
  return std::all_of(words.begin(), words.end(), [&](std::int32_t word) {
    const std::size_t at = static_cast<std::size_t>(word) * size;
    return all_finite(values.data() + at, size) && all_finite(state.exp_avg_sq.data() + at, size);
  });
}

void EmbeddingTable::update_all_ema(std::int64_t step) {
  for (std::size_t word = 0; word < lr_scales_.size(); ++word) {
    if (lr_scales_[word] > 0) update_ema(word, step);
  }
}

void EmbeddingTable::reset_ema(std::int64_t step) {
  if (!state.ema.empty()) state.ema = values;
  std::fill(ema_steps.begin(), ema_steps.end(), static_cast<std::int32_t>(step));
}

const std::vector<float>& EmbeddingTable::ema_values() const {
  return state.ema.empty() ? values : state.ema;
}

void EmbeddingTable::save(const std::string& name, TrainingState& into) const {
  into.arrays[name] = values;
  store(name, state, into);
}

bool EmbeddingTable::load(const std::string& name, const TrainingState& from) {
  return restore(name, from, values) && restore(name, from, state);
}

Adam::Adam(Weights& weights, const AdamOptions& options) : weights_(weights), options_(options) {
  for (const torch::Tensor& tensor : weights.tensors()) {
    const auto count = static_cast<std::size_t>(tensor.numel());
    AdamState state{std::vector<float>(count), std::vector<float>(count), {}};
    if (options.ema_decay > 0)
      state.ema.assign(tensor.data_ptr<float>(), tensor.data_ptr<float>() + count);
    states.push_back(std::move(state));
    size_ += count;
  }
}

void Adam::collect_gradients(std::vector<float>& gradients) const {
  for (const torch::Tensor& tensor : weights_.tensors()) {
    const auto count = static_cast<std::size_t>(tensor.numel());
    const torch::Tensor& gradient = tensor.grad();
    if (!gradient.defined()) {
      gradients.insert(gradients.end(), count, 0.0F);
    } else {
      const torch::Tensor dense = gradient.contiguous();
      gradients.insert(gradients.end(), dense.data_ptr<float>(), dense.data_ptr<float>() + count);
    }
  }
}

void Adam::update(const float* gradients, std::int64_t step, double scale) {
  const StepRates rates = step_rates(options_, step, scale);
  std::size_t i = 0;
  for (const torch::Tensor& tensor : weights_.tensors()) {
    const auto count = static_cast<std::size_t>(tensor.numel());
    float* values = tensor.data_ptr<float>();
    adam(values, states[i], 0, gradients, count, rates, 1);
    if (!states[i].ema.empty())
      accumulate_ema(states[i].ema.data(), values, count, rates.ema_decay);
    gradients += count;
    ++i;
  }
}

bool Adam::is_finite() const {
  const std::vector<torch::Tensor> tensors = weights_.tensors();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto count = static_cast<std::size_t>(tensors[i].numel());
    if (!all_finite(tensors[i].data_ptr<float>(), count) || !all_finite(states[i].exp_avg_sq) ||
        !all_finite(states[i].ema))
      return false;
  }
  return true;
}

void Adam::reset_ema() {
  std::size_t i = 0;
  for (const torch::Tensor& tensor : weights_.tensors()) {
    std::vector<float>& ema = states[i++].ema;
    std::copy_n(tensor.data_ptr<float>(), ema.size(), ema.begin());
  }
}

void Adam::copy_ema_to(std::map<std::string, std::vector<float>>& into) const {
  std::size_t i = 0;
  for (const std::string& name : weights_.names()) {
    const torch::Tensor& tensor = weights_.at(name);
    const float* values = states[i].ema.empty() ? tensor.data_ptr<float>() : states[i].ema.data();
    into[name].assign(values, values + tensor.numel());
    ++i;
  }
}

double gradient_norm(const std::vector<float>& gradients) {
  double squares = 0;
  for (const float g : gradients) squares += static_cast<double>(g) * static_cast<double>(g);
  return std::sqrt(squares);
}

double clip_scale(double norm, double clip) {
  if (clip == 0) return 1;
  return norm > clip ? clip / norm : 1;
}

}  // namespace skim::train
