// Packed batches, and the sampler that composes them of texts of similar length, in an order that
// depends on seed and epoch alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "train/corpus.h"
#include "train/ops/packed_steps.h"
#include "train/torch.h"

namespace skim::train {

// Padded lists of indices into the rows of a table.
struct Padded {
  torch::Tensor index;  // [lists, longest]; padding is any row
  torch::Tensor mask;   // [lists, longest], bool: false for padding
  // The rows of `table`, [lists, longest, row].
  torch::Tensor lookup(const torch::Tensor& table) const {
    return table.index_select(0, index.flatten()).view({index.size(0), index.size(1), -1});
  }
};

// A packed batch (ops/packed_steps.h).
struct Batch {
  std::vector<std::size_t> items;  // in descending order of length
  PackedSteps steps;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> question_length;  // of cloze nets: the last so many words of each text
  std::vector<std::int32_t> words;  // ids of the packed rows, then of questions and choices
  torch::Tensor labels;             // [texts]: label, choice or the answer's first word
  torch::Tensor answer_ends;        // [texts], or undefined: the answer's last word
  torch::Tensor label_sets;         // [texts, labels] of 0 and 1, of multi-label nets only
  torch::Tensor values;             // [texts], of regression nets only
  torch::Tensor text_weights;       // [texts], or undefined: of the losses, when one is not 1
  Padded question;                  // one list per text, or undefined
  Padded choices;                   // one list per choice of each text, or undefined
  torch::Tensor choice_padding;     // [texts, max choices], bool: where a text has fewer
  // Of nets with a character CNN, where `words` has each spelling of the batch once and the
  // questions are a packed batch themselves, in an order of their own.
  Padded chars;                      // the bytes of each spelling
  torch::Tensor spelling_rows;       // [rows]: the spelling of each packed row
  std::shared_ptr<Batch> questions;  // with its own spelling_rows
  torch::Tensor question_index;      // [texts]: the question of each text
  // [texts, labels or max choices]; of extractive nets [texts, first or last word, longest text];
  // undefined without soft targets.
  torch::Tensor soft_targets;
  torch::Tensor labelled;   // [texts]: 1, or 0 for texts with soft targets alone; likewise
  torch::Tensor distilled;  // [texts], bool: which texts have soft targets; undefined if all have
  torch::Tensor reversed;   // [rows]: the row at the same place of the reversed text
  torch::Tensor last_rows;  // [texts]: the row of the last word
  std::int64_t rows() const { return steps.rows; }
  std::int64_t texts() const { return steps.texts(); }
};

// The word ids of an item: text, question and choices.
std::vector<std::int32_t> all_word_ids(const Item& item);

// Packs the items at the indices `chosen`.
Batch make_batch(const std::vector<Item>& items, std::vector<std::size_t> chosen);

// The text of each packed row, [rows].
torch::Tensor row_texts(const Batch& batch);

// Composes the batches of each epoch: shuffles the items, sorts buckets of them by length, cuts the
// buckets into batches and shuffles those.
class BatchSampler {
 public:
  BatchSampler(const std::vector<Item>& items, std::size_t batch_size, std::uint64_t seed);
  std::size_t steps_per_epoch() const { return (items_.size() + batch_size_ - 1) / batch_size_; }
  // The item indices of a step, counted from 0.
  const std::vector<std::size_t>& at(std::size_t step);

 private:
  void shuffle_epoch(std::size_t epoch);

  const std::vector<Item>& items_;
  std::size_t batch_size_;
  std::uint64_t seed_;
  std::size_t epoch_ = static_cast<std::size_t>(-1);
  std::vector<std::vector<std::size_t>> batches_;
};

// Batches of all items in descending order of length, for evaluation: at most `max_rows` words per
// batch, but at least one text.
std::vector<std::vector<std::size_t>> batch_by_length(const std::vector<Item>& items,
                                                      std::size_t max_rows);

}  // namespace skim::train
