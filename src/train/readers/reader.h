// Trainable readers: packed rows in, hidden states and decisions out.
#pragma once

#include <memory>
#include <string>

#include "train/counter_rng.h"
#include "train/ops/recurrent.h"
#include "train/options.h"
#include "train/weights.h"

namespace skim::train {

struct Batch;

// How a batch is read: by a training step or by an evaluation.
struct ReadMode {
  bool training = false;
  bool read_all = false;  // pretraining: with the big cell alone
  Estimator estimator = Estimator::gumbel;
  double temperature = 1;
  double threshold = 0.5;
  double sharpness = 1;  // vcrnn: steepness of the soft mask
  JumpSpec jump;         // lstm-jump: in training
  CounterRng noise{0};   // of this step
  int threads = 1;       // of the fused operations
};

struct ReadOutput {
  torch::Tensor hidden;   // [rows, d]
  torch::Tensor log_p;    // [rows, k], or undefined: log probability of each level
  torch::Tensor taken;    // [rows, k]: the weight of each level in the update
  torch::Tensor penalty;  // [rows], or undefined: the skim loss, which gamma weighs
  torch::Tensor p_skim;   // [rows], or undefined: probability of not reading in full
  torch::Tensor widths;   // [rows], or undefined: units updated, where levels do not say it
  // Of sampled decisions, for REINFORCE: the text of each, its log probability and the predicted
  // reward. Undefined when there are none.
  torch::Tensor sampled_text, sampled_log_p, baseline;
};

// The input of a reader and its weights, whose names start with `prefix`.
struct ReaderInput {
  const ReaderSpec& spec;
  const Weights& weights;
  std::string prefix;
  std::size_t index;          // of the reader in the net, for its random numbers
  const torch::Tensor& rows;  // packed, in reading order
  bool backward;
  const Batch& batch;

  const torch::Tensor& weight(const std::string& name) const { return weights.at(prefix + name); }
};

// Reads packed rows with the method that the spec names.
ReadOutput read_rows(const ReaderInput& from, const ReadMode& mode);

// The other methods; read_rows chooses.
ReadOutput read_lstm_jump(const ReaderInput& from, const ReadMode& mode);
ReadOutput read_skip_rnn(const ReaderInput& from, const ReadMode& mode);
ReadOutput read_vcrnn(const ReaderInput& from, const ReadMode& mode);

// Stacks the weights for the fused operation; with `dense` those of the big cell alone.
StackedWeights stack_weights(const ReaderSpec& spec, const Weights& weights,
                             const std::string& prefix, bool dense);

}  // namespace skim::train
