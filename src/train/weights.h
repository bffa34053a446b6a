// The trainable tensors of a model by name, as spec/params.h lists them, without the embeddings, of
// which a step changes few (EmbeddingTable in optimizer.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "skim/spec.h"
#include "train/options.h"
#include "train/torch.h"

namespace skim::train {

class Weights {
 public:
  // Initializes all tensors from `seed`, `read_bias_init` and `chrono_init`. A skip-rnn reader
  // starts with an update bias of 1. An lstm-jump reader has a baseline besides the tensors of the
  // model: the expected reward.
  Weights(const ModelSpec& spec, const FitOptions& options);

  const std::vector<std::string>& names() const { return names_; }
  const torch::Tensor& at(const std::string& name) const { return tensors_.at(name); }
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  // In the order of names().
  std::vector<torch::Tensor> tensors() const;

 private:
  void init_tied_output(const ModelSpec& spec);

  std::vector<std::string> names_;
  std::map<std::string, torch::Tensor> tensors_;
};

}  // namespace skim::train
