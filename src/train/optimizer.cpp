#include "train/optimizer.h"

#include <algorithm>
#include <cmath>

namespace skim::train {
namespace {

struct Rates {
  float step, beta1, beta2, epsilon, scale, average;
};

Rates rates_at(const AdamOptions& options, std::int64_t step, double scale) {
  const auto n = static_cast<double>(step + 1);
  const double first = 1 - std::pow(options.beta1, n), second = 1 - std::pow(options.beta2, n);
  // Early averages would be of the random start: the decay grows with the steps there are.
  const double average = options.average == 0 ? 0 : std::min(options.average, (1 + n) / (10 + n));
  return {static_cast<float>(options.rate * std::sqrt(second) / first),
          static_cast<float>(options.beta1),
          static_cast<float>(options.beta2),
          static_cast<float>(options.epsilon * std::sqrt(second)),
          static_cast<float>(scale),
          static_cast<float>(average)};
}

// One step of Adam over `count` values.
void adam(float* values, Slot& slot, std::size_t at, const float* gradients, std::size_t count,
          const Rates& rates, float share) {
  float* first = slot.first.data() + at;
  float* second = slot.second.data() + at;
  for (std::size_t i = 0; i < count; ++i) {
    const float g = gradients[i] * rates.scale;
    first[i] = rates.beta1 * first[i] + (1 - rates.beta1) * g;
    second[i] = rates.beta2 * second[i] + (1 - rates.beta2) * g * g;
    values[i] -= share * rates.step * first[i] / (std::sqrt(second[i]) + rates.epsilon);
  }
}

void average(float* averages, const float* values, std::size_t count, float decay) {
  for (std::size_t i = 0; i < count; ++i) averages[i] += (1 - decay) * (values[i] - averages[i]);
}

}  // namespace

std::vector<std::int32_t> distinct_words(std::vector<std::int32_t> words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

WordTable::WordTable(const Vocabulary& vocabulary, const AdamOptions& options)
    : values(vocabulary.vectors), options_(options), width_(vocabulary.width) {
  for (std::size_t word = 0; word < vocabulary.words.size(); ++word) {
    const bool known = vocabulary.known[word] != 0;
    // The unknown word always learns, and a word that texts yet to come may hold is none of theirs.
    const bool learns = word < std::max<std::size_t>(vocabulary.frequent, 1);
    rates_.push_back(!learns ? 0.0F : known ? static_cast<float>(options.word_rate) : 1.0F);
  }
  trains_ = std::any_of(rates_.begin(), rates_.end(), [](float rate) { return rate > 0; });
  slot.first.assign(values.size(), 0);
  slot.second.assign(values.size(), 0);
  touched.assign(rates_.size(), 0);
  if (options.average > 0) slot.average = values;
}

torch::Tensor WordTable::rows(const std::vector<std::int32_t>& words) const {
  torch::Tensor out = torch::empty({static_cast<std::int64_t>(words.size()), width_});
  float* to = out.data_ptr<float>();
  const auto width = static_cast<std::size_t>(width_);
  for (std::size_t i = 0; i < words.size(); ++i)
    std::copy_n(values.data() + static_cast<std::size_t>(words[i]) * width, width, to + i * width);
  return out;
}

void WordTable::catch_up(std::size_t word, std::int64_t step) {
  if (slot.average.empty() || touched[word] >= step) return;
  double decay = 1;
  for (std::int64_t n = touched[word]; n < step; ++n) {
    const double mine = static_cast<double>(rates_at(options_, n, 1).average);
    decay *= mine;
    if (decay < 1e-12) break;
  }
  const auto width = static_cast<std::size_t>(width_);
  average(slot.average.data() + word * width, values.data() + word * width, width,
          static_cast<float>(decay));
  touched[word] = static_cast<std::int32_t>(step);
}

void WordTable::update(const std::vector<std::int32_t>& words, const float* gradients,
                       std::int64_t step, double scale) {
  const Rates rates = rates_at(options_, step, scale);
  const auto width = static_cast<std::size_t>(width_);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = static_cast<std::size_t>(words[i]);
    if (rates_[word] == 0) continue;
    catch_up(word, step);
    adam(values.data() + word * width, slot, word * width, gradients + i * width, width, rates,
         rates_[word]);
  }
}

void WordTable::settle(std::int64_t step) {
  for (std::size_t word = 0; word < rates_.size(); ++word) {
    if (rates_[word] > 0) catch_up(word, step);
  }
}

void WordTable::restart_average(std::int64_t step) {
  if (!slot.average.empty()) slot.average = values;
  std::fill(touched.begin(), touched.end(), static_cast<std::int32_t>(step));
}

const std::vector<float>& WordTable::averaged() const {
  return slot.average.empty() ? values : slot.average;
}

Adam::Adam(Weights& weights, const AdamOptions& options) : weights_(weights), options_(options) {
  for (const torch::Tensor& tensor : weights.all()) {
    const auto count = static_cast<std::size_t>(tensor.numel());
    Slot slot{std::vector<float>(count), std::vector<float>(count), {}};
    if (options.average > 0)
      slot.average.assign(tensor.data_ptr<float>(), tensor.data_ptr<float>() + count);
    slots.push_back(std::move(slot));
    size_ += count;
  }
}

void Adam::gather(std::vector<float>& gradients) const {
  for (const torch::Tensor& tensor : weights_.all()) {
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
  const Rates rates = rates_at(options_, step, scale);
  std::size_t i = 0;
  for (const torch::Tensor& tensor : weights_.all()) {
    const auto count = static_cast<std::size_t>(tensor.numel());
    float* values = tensor.data_ptr<float>();
    adam(values, slots[i], 0, gradients, count, rates, 1);
    if (!slots[i].average.empty()) average(slots[i].average.data(), values, count, rates.average);
    gradients += count;
    ++i;
  }
}

void Adam::restart_average() {
  std::size_t i = 0;
  for (const torch::Tensor& tensor : weights_.all()) {
    std::vector<float>& average = slots[i++].average;
    std::copy_n(tensor.data_ptr<float>(), average.size(), average.begin());
  }
}

void Adam::copy_average_to(std::map<std::string, std::vector<float>>& into) const {
  std::size_t i = 0;
  for (const std::string& name : weights_.names()) {
    const torch::Tensor& tensor = weights_.at(name);
    const float* values =
        slots[i].average.empty() ? tensor.data_ptr<float>() : slots[i].average.data();
    into[name].assign(values, values + tensor.numel());
    ++i;
  }
}

double clip_scale(const std::vector<float>& gradients, double clip) {
  if (clip == 0) return 1;
  double squares = 0;
  for (const float g : gradients) squares += static_cast<double>(g) * static_cast<double>(g);
  const double norm = std::sqrt(squares);
  return norm > clip ? clip / norm : 1;
}

}  // namespace skim::train
