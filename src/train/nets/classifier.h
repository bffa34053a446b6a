// The trainable twin of src/nets/classifier: readers in layers and directions, pooling, a linear
// head.
#pragma once

#include <vector>

#include "train/batch.h"
#include "train/readers/reader.h"

namespace skim::train {

struct NetOutput {
  torch::Tensor scores;              // [texts, labels], before softmax
  std::vector<ReadOutput> readings;  // one a layer and direction, in the order of the file's passes
};

// `words`: the vectors of the batch's rows, [rows, width].
NetOutput classify(const ModelSpec& spec, const Weights& weights, const torch::Tensor& words,
                   const Batch& batch, const Dropout& dropout, const ReadMode& mode);

}  // namespace skim::train
