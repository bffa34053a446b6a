// Names and shapes of the tensors of a model, shared by the trainer, the file and the runtime.
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
  // Stored in ModelSpec::weight_type (embedding.weight, subword.weight, big.weight_ih,
  // big.weight_hh); all others are f32.
  bool quantized = false;
  bool operator==(const TensorSpec&) const = default;
};

// Number of gates of a cell, in PyTorch's order: LSTM i, f, g, o; GRU r, z, n; RNN one.
std::size_t gates(Cell cell);

// The tensors of one reader, without prefix. G = gates(cell), i = input_size, d = hidden_size,
// s = a skim size, k = levels:
//   big.weight_ih [G*d, i]  big.weight_hh [G*d, d]  big.bias [G*d]
//   big.bias_hn [d]               GRU only: PyTorch's b_hn, inside r * (W_hn h + b_hn)
//   small.K.weight_ih [G*s, i]  small.K.weight_hh [G*s, s or d]  small.K.bias [G*s]
//   small.K.bias_hn [s]           K = 1 .. k-1, skim readers only; none for s = 0
//   decision.weight_ih [k, i]  decision.weight_hh [k, d]  decision.bias [k]   linear decisions
//   decision.weight_ch [k, d]     linear_cell only
//   decision.scale [k]  decision.bias [k]     dot: logit_l = scale_l * sum_j x_j h_j + bias_l over
//                                             j < min(i, d)
//   jump.weight [max_jump + 1, d]  jump.bias [max_jump + 1]                   lstm_jump only
//   update.weight [1, d]  update.bias [1]                                     skip_rnn only
//   scheduler.weight_ih [1, i]  scheduler.weight_hh [1, d]  scheduler.bias [1]    vcrnn only
std::vector<TensorSpec> reader_tensors(const ReaderSpec& spec);

// Prefix of the names of a reader's tensors: "reader.0.forward.".
std::string reader_prefix(const std::string& stack, int layer, bool backward);
std::string reader_prefix(int layer, bool backward);  // of the stack "reader"

// One reader over one text, as one Pass of a trace.
struct PassSpec {
  std::string name;    // Pass::reader: "0.forward", or "modelling.0.forward" with several stacks
  std::string prefix;  // of the names of its tensors
  ReaderSpec reader;
  bool backward = false;
  bool reads_embeddings = false;  // its input is the word embedding, so it can be folded
  bool over_question = false;     // reads the question, not the text
};
// The passes of a model in the order of its traces.
std::vector<PassSpec> model_passes(const ModelSpec& spec);

// All tensors of a model: embedding.weight [vocab_size, v], with subwords subword.weight
// [num_buckets, v], those of the readers and, with v = embedding_size and r = output_size:
//   classifier  pooling.weight [r] (attention pooling only)  head.weight [num_logits, r]
//               head.bias [num_logits]
//   cloze       choice.weight [v, r]  choice.bias [v]
//   span        attention.query [v]  attention.product [v]  start.weight [r]  end.weight [r]
//   bidaf       with e = v + num_filters and c = char_cnn.embedding_size:
//               char_cnn.embedding [256, c]  char_cnn.weight [num_filters, kernel_size * c]
//               char_cnn.bias [num_filters]
//               highway.L.weight [e, e]  .bias [e]  .gate.weight [e, e]  .gate.bias [e], L = 0, 1
//               attention.context [r]  attention.query [r]  attention.product [r]
//               start.weight [5 r]  end.weight [5 r]
// docs/file-format.md says what they compute.
std::vector<TensorSpec> model_tensors(const ModelSpec& spec);

// Validates a spec. Errors (Fault::format) name the invalid field.
Result<void> check(const ReaderSpec& spec);
Result<void> check(const ModelSpec& spec);

}  // namespace skim
