// The embeddings of words in training: a vector per word of the vocabulary and, with subwords, the
// mean of the vectors of its character n-grams. An unknown word has the vector of word 0 instead of
// its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "train/corpus.h"
#include "train/counter_rng.h"
#include "train/optimizer.h"
#include "train/options.h"
#include "train/subword_index.h"
#include "train/training_state.h"

namespace skim::train {

// Rows of the two tables: distinct and sorted.
struct EmbeddingRows {
  std::vector<std::int32_t> words, subwords;
};

// Which words of a step have the vector of word 0 instead of their own, so that n-grams learn to do
// without it: a word that occurs N times in the training texts, with probability X / (X + N).
struct SubwordDropout {
  double rate = 0;  // X
  CounterRng noise = CounterRng(0);
};

// The learning rates of the vocabulary's vectors, relative to that of the other weights.
std::vector<float> word_lr_scales(const Vocabulary& vocabulary, const AdamOptions& options);

class WordEmbeddings {
 public:
  WordEmbeddings(const Vocabulary& vocabulary, const AdamOptions& options);

  bool trainable() const { return words_.trainable() || subwords_; }
  // The embeddings of these words, [ids, size].
  torch::Tensor embed(const std::vector<std::int32_t>& words, const SubwordDropout& dropout) const;
  // The rows of which the embeddings of these words are made.
  EmbeddingRows find_rows(const std::vector<std::int32_t>& words,
                          const SubwordDropout& dropout) const;
  // Appends the gradients of `rows`, given those of the embeddings of `words`.
  void append_gradients(const torch::Tensor& gradient, const std::vector<std::int32_t>& words,
                        const SubwordDropout& dropout, const EmbeddingRows& rows,
                        std::vector<float>& gradients) const;
  void update(const EmbeddingRows& rows, const float* gradients, std::int64_t step, double scale);
  bool is_finite(const EmbeddingRows& rows) const;

  // Restarts from a snapshot, its EMA included.
  void restart(const Snapshot& snapshot, std::int64_t step);
  // Sets the embeddings of a snapshot.
  void copy_ema_to(Snapshot& snapshot, std::int64_t step);
  void save(TrainingState& state) const;
  // Returns the name of an array that is missing or has another size, if any.
  std::optional<std::string> load(const TrainingState& state);

 private:
  // The row of word vectors that a word uses.
  std::int32_t own_row(std::int32_t word, const SubwordDropout& dropout) const;

  EmbeddingTable words_;
  std::optional<EmbeddingTable> subwords_;
  std::shared_ptr<const SubwordIndex> index_;  // null without subwords
  std::vector<std::size_t> counts_;            // of the words in the training texts
};

// The embeddings of words by a snapshot, [ids, size]. `index` is null without subwords.
torch::Tensor embed(const Snapshot& snapshot, const SubwordIndex* index,
                    const std::vector<std::int32_t>& words, std::int64_t size);

// Folds the vectors of n-grams into those of the vocabulary's words.
Snapshot fold_subwords(Snapshot snapshot, const Vocabulary& vocabulary);

}  // namespace skim::train
