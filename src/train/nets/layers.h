// Building blocks of the trainable nets: stacks of readers, dropout, padding.
#pragma once

#include <vector>

#include "train/batch.h"
#include "train/readers/reader.h"

namespace skim::train {

struct NetOutput {
  torch::Tensor logits;              // [texts, labels, choices or words]
  torch::Tensor end_logits;          // extractive: [texts, words], of the answer's last word
  std::vector<ReadOutput> readings;  // one per layer and direction, in the order of model_passes()
};

// The input of a net. `embeddings` are those of Batch::words, [words, embedding_size].
struct NetInput {
  const ModelSpec& spec;
  const Weights& weights;
  const torch::Tensor& embeddings;
  const Batch& batch;
  const Dropout& dropout;
  const ReadMode& mode;

  CounterRng noise(RandomUse use) const { return mode.noise.at(static_cast<std::uint64_t>(use)); }
  bool drops(double rate) const { return mode.training && rate > 0; }
};

// Whether kept entries are multiplied by 1 / (1 - rate).
enum class DropoutScale { inverted, none };

// A dropout mask for each packed row, [rows, width], or for each text, [texts, width]. Depends on
// seed, step and text alone.
torch::Tensor dropout_mask(const NetInput& in, const Batch& batch, std::int64_t width, double rate,
                           const CounterRng& noise, bool per_row,
                           DropoutScale scale = DropoutScale::inverted);

// Applies word dropout to the packed rows of the texts.
torch::Tensor drop_words(const NetInput& in, const torch::Tensor& rows, RandomUse use);

// The embeddings of the texts' words as packed rows, with word and input dropout.
torch::Tensor text_embeddings(const NetInput& in);

// Runs all layers of a stack over rows packed as in `batch`; returns the rows of the last layer.
torch::Tensor read_stack(const NetInput& in, const StackSpec& stack, const Batch& batch,
                         torch::Tensor rows, NetOutput& out);
// Runs the first stack of the net over the text.
torch::Tensor read_layers(const NetInput& in, torch::Tensor rows, NetOutput& out);

// The final hidden state of each direction: forward at the last word, backward at the first.
torch::Tensor last_states(const ModelSpec& spec, const torch::Tensor& rows, const Batch& batch);

// Pads packed rows to [texts, longest, row]. Padding repeats the text's first row and is false in
// `mask`, [texts, longest].
torch::Tensor pad_rows(const torch::Tensor& rows, const Batch& batch, torch::Tensor& mask);

// The index of each packed row in the flattened [texts, longest] of pad_rows().
torch::Tensor padded_positions(const Batch& batch);

// The logit of masked entries.
inline constexpr double kMaskedLogit = -1e30;

}  // namespace skim::train
