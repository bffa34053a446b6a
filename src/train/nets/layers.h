// What trainable nets are built from: readers in layers and directions, dropout, rows side by side.
#pragma once

#include <vector>

#include "train/batch.h"
#include "train/readers/reader.h"

namespace skim::train {

struct NetOutput {
  torch::Tensor scores;              // [texts, labels or choices or words], before softmax
  torch::Tensor last_scores;         // span: [texts, words] of the answer's last word
  std::vector<ReadOutput> readings;  // one a layer and direction, in the order of the file's passes
};

// What a net is run with. `words` are the vectors of the batch's words, [words, width].
struct NetInput {
  const ModelSpec& spec;
  const Weights& weights;
  const torch::Tensor& words;
  const Batch& batch;
  const Dropout& dropout;
  const ReadMode& mode;

  Noise noise(Use use) const { return mode.noise.at(static_cast<std::uint64_t>(use)); }
  bool drops(double rate) const { return mode.training && rate > 0; }
};

enum class Kept { grow, stay };

// One factor for each entry of a text's rows (or of its one row): 0, or what keeps the sum as it
// was (or 1, if kept entries stay).
torch::Tensor dropout_mask(const NetInput& in, const Batch& batch, std::int64_t width, double rate,
                           const Noise& noise, bool of_rows, Kept kept = Kept::grow);

// The texts' own words, without those of questions and choices, with dropout.
torch::Tensor text_rows(const NetInput& in);

// Reads rows, packed as in `batch`, with all layers of a stack; the rows of the last one.
torch::Tensor read_stack(const NetInput& in, const StackSpec& stack, const Batch& batch,
                         torch::Tensor rows, NetOutput& out);
// With the only stack of a net.
torch::Tensor read_layers(const NetInput& in, torch::Tensor rows, NetOutput& out);

// The state each direction ends with: the last word's forward, the first word's backward.
torch::Tensor last_states(const ModelSpec& spec, const torch::Tensor& rows, const Batch& batch);

// Rows of each text side by side, [texts, longest, width]; beyond a text's end its first row, and
// not `inside`.
torch::Tensor side_by_side(const torch::Tensor& rows, const Batch& batch, torch::Tensor& inside);

// Where in the flattened [texts, longest] each packed row lies.
torch::Tensor places_side_by_side(const Batch& batch);

// Below all that is likely, before a softmax.
inline constexpr double kNever = -1e30;

}  // namespace skim::train
