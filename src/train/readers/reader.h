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
  double sharpness = 1;  // vary: how steeply units fade out
  JumpSpec jump;         // jump: how it moves in training
  Noise noise{0};        // of this step
  int threads = 1;       // of the fused operations
};

struct ReadOutput {
  torch::Tensor hidden;   // [rows, d]
  torch::Tensor log_p;    // [rows, k], or undefined: of each way to treat a word
  torch::Tensor taken;    // [rows, k]: how each word was treated
  torch::Tensor penalty;  // [rows], or undefined: what makes treating a word expensive
  torch::Tensor cheap;    // [rows], or undefined: how likely it is not treated in full
  torch::Tensor widths;   // [rows], or undefined: units updated, where that is not one of k
  // Of choices that were sampled and are learned by reward: which text each belongs to, its log
  // probability, and the reward that was expected. Undefined when there are none.
  torch::Tensor sampled_text, sampled_log_p, expected;
};

// What a reader reads and with which weights: those at `prefix`.
struct ReaderRows {
  const ReaderSpec& spec;
  const Weights& weights;
  std::string prefix;
  std::size_t index;          // tells the readers of a net apart, for their noise
  const torch::Tensor& rows;  // in the order of reading
  bool backward;
  const Batch& batch;

  const torch::Tensor& weight(const std::string& name) const { return weights.at(prefix + name); }
};

ReadOutput read_rows(const ReaderRows& from, const ReadMode& mode);

// One for each method; read_rows chooses.
ReadOutput read_jumping(const ReaderRows& from, const ReadMode& mode);
ReadOutput read_skipping(const ReaderRows& from, const ReadMode& mode);
ReadOutput read_varying(const ReaderRows& from, const ReadMode& mode);

// The weights stacked for the fused operation; `plain` leaves out all but the big cell.
Stacked stack_weights(const ReaderSpec& spec, const Weights& weights, const std::string& prefix,
                      bool plain);

}  // namespace skim::train
