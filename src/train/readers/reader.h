// A trainable reader: packed rows in, equally many out, and what it cost.
#pragma once

#include <memory>
#include <string>

#include "train/noise.h"
#include "train/ops/recurrent.h"
#include "train/options.h"
#include "train/weights.h"

namespace skim::train {

struct Batch;

// How a step of training, or an evaluation, wants its words read.
struct ReadMode {
  bool training = false;
  bool read_all = false;  // pretraining: the big cell alone
  Estimator estimator = Estimator::gumbel;
  double temperature = 1;
  double threshold = 0.5;
  Noise noise{0};  // of this step
};

struct ReadOutput {
  torch::Tensor hidden;   // [rows, d]
  torch::Tensor log_p;    // [rows, k], or undefined: of each way to treat a word
  torch::Tensor taken;    // [rows, k]: how each word was treated
  torch::Tensor penalty;  // [rows], or undefined: what makes treating a word expensive
  torch::Tensor cheap;    // [rows], or undefined: how likely it is not treated in full
};

// `index` tells the readers of a net apart, for their noise.
ReadOutput read_rows(const ReaderSpec& spec, const Weights& weights, const std::string& prefix,
                     std::size_t index, const torch::Tensor& rows, const Batch& batch,
                     const ReadMode& mode);

// The weights stacked for the fused operation; `plain` leaves out all but the big cell.
Stacked stack_weights(const ReaderSpec& spec, const Weights& weights, const std::string& prefix,
                      bool plain);

}  // namespace skim::train
