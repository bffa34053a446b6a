// The trained tensors of a model by name, as spec/params.h lists them. Word vectors are not among
// them: a step touches few of them (word_table.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "skim/spec.h"
#include "train/torch.h"

namespace skim::train {

class Weights {
 public:
  // Seeded; a forget gate's bias starts at 1, the decision to read at `read_bias`, the urge to read
  // of a skip reader at 1. A jump reader has a baseline beside the model's own tensors: the reward
  // it expects.
  Weights(const ModelSpec& spec, std::uint64_t seed, double read_bias);

  const std::vector<std::string>& names() const { return names_; }
  const torch::Tensor& at(const std::string& name) const { return tensors_.at(name); }
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  // In the order of names().
  std::vector<torch::Tensor> all() const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, torch::Tensor> tensors_;
};

}  // namespace skim::train
