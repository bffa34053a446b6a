#include "train/initial_subwords.h"

#include <algorithm>
#include <utility>

#include "train/counter_rng.h"

namespace skim::train {
namespace {

constexpr int kEpochs = 5;
// The share of its error that a word corrects in the first epoch. It falls with the epochs, because
// n-grams are shared by words of which each corrects them.
constexpr float kFirstRate = 0.5F;

class Fitter {
 public:
  Fitter(const Vocabulary& vocabulary, std::vector<float>& table)
      : vocabulary_(vocabulary),
        size_(static_cast<std::size_t>(vocabulary.embedding_size)),
        table_(table),
        scratch_(2 * size_),
        error_(size_) {}

  // One pass of stochastic gradient descent over `words`.
  void run_epoch(const std::vector<std::size_t>& words, float rate) {
    for (const std::size_t word : words) {
      const auto rows = vocabulary_.subwords->rows(static_cast<std::int32_t>(word));
      set_error(word, rows);
      for (const std::uint32_t row : rows) {
        float* values = table_.data() + row * size_;
        for (std::size_t i = 0; i < size_; ++i) values[i] += rate * error_[i];
      }
    }
  }

 private:
  // The embedding that an unknown word of this spelling would have, less the pretrained one.
  void set_error(std::size_t word, std::span<const std::uint32_t> rows) {
    std::copy_n(vocabulary_.embeddings.data(), size_, error_.data());
    add_mean_row(
        rows, size_,
        [&](std::uint32_t row, float* out) {
          std::copy_n(table_.data() + row * size_, size_, out);
        },
        scratch_.data(), error_.data());
    const float* wanted = vocabulary_.embeddings.data() + word * size_;
    for (std::size_t i = 0; i < size_; ++i) error_[i] = wanted[i] - error_[i];
  }

  const Vocabulary& vocabulary_;
  std::size_t size_;
  std::vector<float>& table_;
  std::vector<float> scratch_, error_;
};

void shuffle_words(std::vector<std::size_t>& words, const CounterRng& rng) {
  for (std::size_t i = words.size(); i > 1; --i)
    std::swap(words[i - 1], words[((rng.bits(i) >> 32) * i) >> 32]);
}

// The embeddings of these words stay what they are when those of their n-grams are added.
void subtract_subwords(const std::vector<std::size_t>& words, Vocabulary& vocabulary) {
  const auto size = static_cast<std::size_t>(vocabulary.embedding_size);
  std::vector<float> scratch(2 * size), mean(size);
  for (const std::size_t word : words) {
    std::fill(mean.begin(), mean.end(), 0.0F);
    add_mean_row(
        vocabulary.subwords->rows(static_cast<std::int32_t>(word)), size,
        [&](std::uint32_t row, float* out) {
          std::copy_n(vocabulary.subword_vectors.data() + row * size, size, out);
        },
        scratch.data(), mean.data());
    float* own = vocabulary.embeddings.data() + word * size;
    for (std::size_t i = 0; i < size; ++i) own[i] -= mean[i];
  }
}

}  // namespace

void init_subwords(Vocabulary& vocabulary, std::vector<float> given, std::uint64_t seed) {
  const auto size = static_cast<std::size_t>(vocabulary.embedding_size);
  const auto buckets = static_cast<std::size_t>(vocabulary.subwords->spec().num_buckets);
  std::vector<std::size_t> pretrained;
  for (std::size_t word = 1; word < vocabulary.words.size(); ++word)
    if (vocabulary.pretrained[word] != 0) pretrained.push_back(word);
  const bool fits = given.empty();
  vocabulary.subword_vectors = fits ? std::vector<float>(buckets * size) : std::move(given);
  Fitter fitter(vocabulary, vocabulary.subword_vectors);
  const CounterRng rng = CounterRng(seed).at(0x5B30);
  std::vector<std::size_t> order = pretrained;
  for (int epoch = 0; fits && epoch < kEpochs; ++epoch) {
    shuffle_words(order, rng.at(static_cast<std::uint64_t>(epoch)));
    fitter.run_epoch(order, kFirstRate / static_cast<float>(1 + epoch));
  }
  subtract_subwords(pretrained, vocabulary);
}

}  // namespace skim::train
