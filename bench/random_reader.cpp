#include "bench/random_reader.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "spec/params.h"

namespace skim {
namespace {

// Much larger than the sum of all other terms of the decision logit.
constexpr float kDecisionWeight = 50.0F;

std::vector<float> random_values(std::size_t count, float size, std::mt19937_64& random) {
  std::uniform_real_distribution<float> uniform(-size, size);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

std::size_t num_elements(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  return count;
}

}  // namespace

RandomEmbeddings::RandomEmbeddings(std::size_t words, std::size_t width, std::uint64_t seed)
    : width_(width) {
  std::mt19937_64 random(seed);
  values_ = random_values(2 * words * width, 1.0F, random);
  for (std::size_t id = 0; id < 2 * words; ++id) values_[id * width] = id % 2 == 0 ? 1.0F : -1.0F;
}

void RandomEmbeddings::lookup(std::uint32_t id, float* out) const noexcept {
  std::copy_n(row(id), width_, out);
}

std::vector<std::uint32_t> random_text(std::size_t words, std::size_t vocab_size, double rate,
                                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  // Exactly the fraction `rate`, in random order.
  std::vector<std::uint32_t> skimmed(words);
  const auto count = static_cast<std::size_t>(std::lround(rate * static_cast<double>(words)));
  std::fill_n(skimmed.begin(), count, 1U);
  std::shuffle(skimmed.begin(), skimmed.end(), random);
  std::vector<std::uint32_t> text(words);
  for (std::size_t t = 0; t < words; ++t) {
    // The rank of a word of Zipf's law with exponent 1: uniform on a logarithmic scale.
    const double rank = std::exp(uniform(random) * std::log(static_cast<double>(vocab_size)));
    const auto index = std::min(vocab_size - 1, static_cast<std::size_t>(rank) - 1);
    text[t] = static_cast<std::uint32_t>(2 * index) + skimmed[t];
  }
  return text;
}

RandomReader make_random_reader(const ReaderSpec& spec, WeightType type,
                                const EmbeddingTable* embeddings, std::uint64_t seed) {
  RandomReader result;
  std::mt19937_64 random(seed);
  for (const TensorSpec& tensor : reader_tensors(spec)) {
    const float size = 1.0F / std::sqrt(static_cast<float>(tensor.shape.back()));
    result.names.push_back(tensor.name);
    result.values.push_back(random_values(num_elements(tensor.shape), size, random));
    if (tensor.name != "decision.weight_ih") continue;
    result.values.back()[0] = kDecisionWeight;
    result.values.back()[static_cast<std::size_t>(spec.input_size)] = -kDecisionWeight;
  }
  Tensors tensors;
  for (std::size_t i = 0; i < result.names.size(); ++i)
    tensors.push_back({result.names[i], result.values[i]});
  result.reader = make_reader(spec, tensors, type, embeddings, std::size_t{1} << 30U);
  return result;
}

}  // namespace skim
