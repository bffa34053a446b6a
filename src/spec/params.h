// Name and shape of every tensor of a model: the one list that the trainer, the file and the
// runtime share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

struct TensorSpec {
  std::string name;
  std::vector<std::size_t> shape;
  bool quantized =
      false;  // stored in ModelSpec::weights' type (word vectors, big.w, big.u); all else is f32
  bool operator==(const TensorSpec&) const = default;
};

// Blocks of gates in a cell's matrices, in PyTorch's order: LSTM i, f, g, o; GRU r, z, n; RNN one.
std::size_t gates(Cell cell);

// The tensors of one reader, without prefix, G = gates(cell), d = hidden, s = width of a small
// cell, k = levels:
//   big.w [G*d, input]  big.u [G*d, d]  big.b [G*d]
//   big.bn [d]                      GRU only: the bias inside r * (U h + bn), PyTorch's b_hn
//   small.L.w [G*s, input]  small.L.u [G*s, s or d]  small.L.b [G*s]  (small.L.bn [s])   L = 1 ..
//   k-1; none for s = 0 decision.w [k, input]  decision.u [k, d]  decision.c [k, d] (linear_cell
//   only)  decision.b [k] decision.scale [k]  decision.b [k]      the dot decision: logit_l =
//   scale_l * sum_j x_j h_j + b_l, j < min(input, d)
// A full reader has the big.* tensors only.
std::vector<TensorSpec> reader_tensors(const ReaderSpec& spec);

// "reader.0.forward." and so on.
std::string reader_prefix(const std::string& stack, int layer, bool backward);
std::string reader_prefix(int layer, bool backward);  // of a stack named "reader"

// One reader going over its words once, in the order of traces.
struct PassSpec {
  std::string name;    // Pass::reader: "0.forward", or "modelling.0.forward" where there are stacks
  std::string prefix;  // of its tensors
  ReaderSpec reader;
  bool backward = false;
  bool of_words = false;     // it reads words, not rows
  bool of_question = false;  // it goes over the question, not the text
};
std::vector<PassSpec> passes_of(const ModelSpec& spec);

// All tensors of a model: "words" [vocabulary, word_width], the readers' and, with v = word_width
// and r = row_width,
//   classifier  pool.w [r] (attention pooling only)  head.w [labels, r]  head.b [labels]
//   cloze       choice.w [v, r]  choice.b [v]: a choice's score is its vector times w h + b
//   span        question.w [v]  question.both [v]: how much question word q matters to text word x
//               is the softmax over q of w q + sum_j both_j x_j q_j
//               first.w [r]  last.w [r]: of the answer, from the rows of the last layer
//   bidaf       with e = v + filters, and letters being bytes:
//               letters.vectors [256, width]  letters.w [filters, window * width]  letters.b
//               [filters] highway.L.w [e, e]  .b [e]  .gate.w [e, e]  .gate.b [e], L = 0, 1
//               meeting.text [r]  meeting.question [r]  meeting.both [r]: how well h and u go
//               together first.w [5 r]  last.w [5 r]: over [g; m] of each word, g being [h; u~; h *
//               u~; h * h~]
std::vector<TensorSpec> model_tensors(const ModelSpec& spec);

// Errors (Fault::format) name the field that makes no sense: sizes out of range, small widths not
// falling, a dot decision with ... and so on. `hidden` is at most 4096 so that widths fit Step, at
// most 8 levels, at most 16 layers.
Result<void> check(const ReaderSpec& spec);
Result<void> check(const ModelSpec& spec);

}  // namespace skim
