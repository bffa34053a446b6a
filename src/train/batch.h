// Which texts a step of training sees: texts of like length together, in an order that depends on
// the seed and the epoch alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "train/corpus.h"
#include "train/ops/steps.h"
#include "train/torch.h"

namespace skim::train {

// Lists of words of different lengths, as rows of a batch's words.
struct Padded {
  torch::Tensor index;   // [lists, longest]; beyond a list's end any row
  torch::Tensor inside;  // likewise, bool
  // [lists, longest, width]
  torch::Tensor vectors(const torch::Tensor& words) const {
    return words.index_select(0, index.flatten()).view({index.size(0), index.size(1), -1});
  }
};

struct Batch {
  std::vector<std::size_t> items;  // by falling length
  Steps steps;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> asked;  // how many of its words, the last ones, are the question's
  std::vector<std::int32_t> words;  // of every packed row; then those of questions and choices
  torch::Tensor labels;             // [texts]: the label, the choice or the answer's first word
  torch::Tensor lasts;              // [texts], or undefined: the answer's last word
  Padded question;                  // one list a text, or undefined
  Padded choices;                   // one list a choice of each text, or undefined
  torch::Tensor no_choice;          // [texts, most choices]: where a text has fewer
  // Of nets that look at letters. Then `words` holds each spelling of the batch once, and the
  // questions are a batch of their own, in an order of their own.
  Padded letters;                    // of each spelling, its bytes
  torch::Tensor text_rows;           // [rows]: which spelling each packed row is
  std::shared_ptr<Batch> questions;  // likewise packed, with its own text_rows
  torch::Tensor question_of;         // [texts]: which of the questions belongs to each text
  // [texts, labels or most choices], or, where answers are pieces, [texts, first or last, longest
  // text]; undefined without a teacher.
  torch::Tensor taught;
  torch::Tensor labelled;  // likewise [texts]: 1, or 0 where the teacher alone is heard
  torch::Tensor reversed;  // for each packed row the row that mirrors it in its text
  torch::Tensor last;      // the row of each text's last word
  std::int64_t rows() const { return steps.rows; }
  std::int64_t texts() const { return steps.texts(); }
};

// All words of an item: its text's, its question's and its choices'.
std::vector<std::int32_t> words_of(const Item& item);

Batch make_batch(const std::vector<Item>& items, std::vector<std::size_t> chosen);

// Of each packed row, which text it belongs to.
torch::Tensor text_of_rows(const Batch& batch);

class Schedule {
 public:
  Schedule(const std::vector<Item>& items, std::size_t batch, std::uint64_t seed);
  std::size_t steps_an_epoch() const { return (items_.size() + batch_ - 1) / batch_; }
  // The items of step `step`, counted from 0.
  const std::vector<std::size_t>& at(std::size_t step);

 private:
  void plan(std::size_t epoch);

  const std::vector<Item>& items_;
  std::size_t batch_;
  std::uint64_t seed_;
  std::size_t planned_ = static_cast<std::size_t>(-1);
  std::vector<std::vector<std::size_t>> batches_;
};

// All items in order of length, for evaluation: `rows` words a batch at most, but one text at
// least.
std::vector<std::vector<std::size_t>> by_length(const std::vector<Item>& items, std::size_t rows);

}  // namespace skim::train
