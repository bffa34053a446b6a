#include "train/word_embeddings.h"

#include <algorithm>

namespace skim::train {
namespace {

// Adds the mean of rows of `table` to a vector.
void add_subwords(std::span<const std::uint32_t> rows, const std::vector<float>& table,
                  std::size_t size, std::vector<float>& scratch, float* vector) {
  scratch.resize(2 * size);
  add_mean_row(
      rows, size,
      [&](std::uint32_t row, float* out) { std::copy_n(table.data() + row * size, size, out); },
      scratch.data(), vector);
}

// N-grams whose vectors were fitted to pretrained embeddings learn like those.
std::vector<float> subword_lr_scales(const Vocabulary& vocabulary, const AdamOptions& options) {
  const bool pretrained = std::any_of(vocabulary.pretrained.begin(), vocabulary.pretrained.end(),
                                      [](char one) { return one != 0; });
  const double scale = pretrained ? options.embedding_lr_scale : 1;
  return std::vector<float>(static_cast<std::size_t>(vocabulary.subwords->spec().num_buckets),
                            static_cast<float>(scale));
}

std::size_t place_of(const std::vector<std::int32_t>& sorted, std::int32_t value) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) -
                                  sorted.begin());
}

void add_scaled(const float* from, float scale, std::size_t size, float* to) {
  for (std::size_t i = 0; i < size; ++i) to[i] += scale * from[i];
}

// Adds the gradient of each word to that of its place in `distinct`, which is sorted.
void sum_by_word(const torch::Tensor& gradient, const std::vector<std::int32_t>& words,
                 const std::vector<std::int32_t>& distinct, float* sums) {
  const auto size = static_cast<std::size_t>(gradient.size(1));
  const float* from = gradient.data_ptr<float>();
  for (const std::int32_t word : words) {
    add_scaled(from, 1, size, sums + place_of(distinct, word) * size);
    from += size;
  }
}

bool same_size(const std::vector<std::int32_t>& left, const std::vector<std::int32_t>& right) {
  return left.size() == right.size();
}

}  // namespace

std::vector<float> word_lr_scales(const Vocabulary& vocabulary, const AdamOptions& options) {
  std::vector<float> scales;
  for (std::size_t word = 0; word < vocabulary.words.size(); ++word) {
    const bool pretrained = vocabulary.pretrained[word] != 0;
    // The unknown word is always trainable; words that do not occur in training are not.
    const bool is_trainable = word < std::max<std::size_t>(vocabulary.num_trainable, 1);
    scales.push_back(!is_trainable ? 0.0F
                     : pretrained  ? static_cast<float>(options.embedding_lr_scale)
                                   : 1.0F);
  }
  return scales;
}

WordEmbeddings::WordEmbeddings(const Vocabulary& vocabulary, const AdamOptions& options)
    : words_(
          {vocabulary.embeddings, vocabulary.embedding_size, word_lr_scales(vocabulary, options)},
          options),
      index_(vocabulary.subwords),
      counts_(vocabulary.counts) {
  if (index_ == nullptr) return;
  subwords_.emplace(InitialRows{vocabulary.subword_vectors, vocabulary.embedding_size,
                                subword_lr_scales(vocabulary, options)},
                    options);
}

std::int32_t WordEmbeddings::own_row(std::int32_t word, const SubwordDropout& dropout) const {
  if (index_ == nullptr) return word;
  const auto at = static_cast<std::size_t>(word);
  if (at >= index_->vocab_size()) return 0;
  if (dropout.rate == 0 || at >= counts_.size() || index_->rows(word).empty()) return word;
  const double share = dropout.rate / (dropout.rate + static_cast<double>(counts_[at]));
  return dropout.noise.uniform(at) < static_cast<float>(share) ? 0 : word;
}

torch::Tensor WordEmbeddings::embed(const std::vector<std::int32_t>& words,
                                    const SubwordDropout& dropout) const {
  if (!subwords_) return words_.rows(words);
  const std::vector<std::int32_t> distinct = unique_ids(words);
  std::vector<std::int32_t> own;
  for (const std::int32_t word : distinct) own.push_back(own_row(word, dropout));
  const torch::Tensor composed = words_.rows(own);
  std::vector<float> scratch;
  const auto size = static_cast<std::size_t>(words_.embedding_size());
  for (std::size_t i = 0; i < distinct.size(); ++i)
    add_subwords(index_->rows(distinct[i]), subwords_->values, size, scratch,
                 composed.data_ptr<float>() + i * size);
  torch::Tensor rows = torch::empty({static_cast<std::int64_t>(words.size()), composed.size(1)});
  for (std::size_t i = 0; i < words.size(); ++i)
    std::copy_n(composed.data_ptr<float>() + place_of(distinct, words[i]) * size, size,
                rows.data_ptr<float>() + i * size);
  return rows;
}

EmbeddingRows WordEmbeddings::find_rows(const std::vector<std::int32_t>& words,
                                        const SubwordDropout& dropout) const {
  EmbeddingRows rows;
  for (const std::int32_t word : words) {
    rows.words.push_back(own_row(word, dropout));
    if (index_ == nullptr) continue;
    const auto found = index_->rows(word);
    rows.subwords.insert(rows.subwords.end(), found.begin(), found.end());
  }
  return {unique_ids(std::move(rows.words)), unique_ids(std::move(rows.subwords))};
}

void WordEmbeddings::append_gradients(const torch::Tensor& gradient,
                                      const std::vector<std::int32_t>& words,
                                      const SubwordDropout& dropout, const EmbeddingRows& rows,
                                      std::vector<float>& gradients) const {
  const auto size = static_cast<std::size_t>(words_.embedding_size());
  const std::size_t start = gradients.size();
  gradients.resize(start + (rows.words.size() + rows.subwords.size()) * size, 0.0F);
  float* own = gradients.data() + start;
  if (index_ == nullptr) return sum_by_word(gradient, words, rows.words, own);
  const std::vector<std::int32_t> distinct = unique_ids(words);
  std::vector<float> sums(distinct.size() * size);
  sum_by_word(gradient, words, distinct, sums.data());
  float* subwords = own + rows.words.size() * size;
  const float* sum = sums.data();
  for (const std::int32_t word : distinct) {
    add_scaled(sum, 1, size, own + place_of(rows.words, own_row(word, dropout)) * size);
    const std::span<const std::uint32_t> ngrams = index_->rows(word);
    const float share = 1.0F / static_cast<float>(std::max<std::size_t>(ngrams.size(), 1));
    for (const std::uint32_t row : ngrams)
      add_scaled(sum, share, size,
                 subwords + place_of(rows.subwords, static_cast<std::int32_t>(row)) * size);
    sum += size;
  }
}

void WordEmbeddings::update(const EmbeddingRows& rows, const float* gradients, std::int64_t step,
                            double scale) {
  words_.update(rows.words, gradients, step, scale);
  if (!subwords_) return;
  const auto size = static_cast<std::size_t>(words_.embedding_size());
  subwords_->update(rows.subwords, gradients + rows.words.size() * size, step, scale);
}

bool WordEmbeddings::is_finite(const EmbeddingRows& rows) const {
  return words_.is_finite(rows.words) && (!subwords_ || subwords_->is_finite(rows.subwords));
}

void WordEmbeddings::restart(const Snapshot& snapshot, std::int64_t step) {
  words_.values = snapshot.embeddings;
  words_.reset_ema(step);
  if (!subwords_) return;
  subwords_->values = snapshot.subwords;
  subwords_->reset_ema(step);
}

void WordEmbeddings::copy_ema_to(Snapshot& snapshot, std::int64_t step) {
  words_.update_all_ema(step);
  snapshot.embeddings = words_.ema_values();
  if (!subwords_) return;
  subwords_->update_all_ema(step);
  snapshot.subwords = subwords_->ema_values();
}

void WordEmbeddings::save(TrainingState& state) const {
  words_.save("embedding.weight", state);
  state.ema_steps = words_.ema_steps;
  if (!subwords_) return;
  subwords_->save("subword.weight", state);
  state.subword_ema_steps = subwords_->ema_steps;
}

std::optional<std::string> WordEmbeddings::load(const TrainingState& state) {
  if (!words_.load("embedding.weight", state) || !same_size(state.ema_steps, words_.ema_steps))
    return "embedding.weight";
  words_.ema_steps = state.ema_steps;
  if (!subwords_) return std::nullopt;
  if (!subwords_->load("subword.weight", state) ||
      !same_size(state.subword_ema_steps, subwords_->ema_steps))
    return "subword.weight";
  subwords_->ema_steps = state.subword_ema_steps;
  return std::nullopt;
}

torch::Tensor embed(const Snapshot& snapshot, const SubwordIndex* index,
                    const std::vector<std::int32_t>& words, std::int64_t size) {
  const auto width = static_cast<std::size_t>(size);
  const std::size_t vocab_size = snapshot.embeddings.size() / width;
  torch::Tensor rows = torch::empty({static_cast<std::int64_t>(words.size()), size});
  std::vector<float> scratch;
  for (std::size_t i = 0; i < words.size(); ++i) {
    float* to = rows.data_ptr<float>() + i * width;
    const auto word = static_cast<std::size_t>(words[i]);
    const bool known = word < vocab_size;
    std::copy_n(snapshot.embeddings.data() + (known ? word : 0) * width, width, to);
    if (index != nullptr && !(known && snapshot.folded))
      add_subwords(index->rows(words[i]), snapshot.subwords, width, scratch, to);
  }
  return rows;
}

Snapshot fold_subwords(Snapshot snapshot, const Vocabulary& vocabulary) {
  if (vocabulary.subwords == nullptr || snapshot.folded) return snapshot;
  const auto size = static_cast<std::size_t>(vocabulary.embedding_size);
  std::vector<float> scratch;
  for (std::size_t word = 0; word < vocabulary.words.size(); ++word)
    add_subwords(vocabulary.subwords->rows(static_cast<std::int32_t>(word)), snapshot.subwords,
                 size, scratch, snapshot.embeddings.data() + word * size);
  snapshot.folded = true;
  return snapshot;
}

}  // namespace skim::train
