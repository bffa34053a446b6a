// The trained tensors of a model by name, as spec/params.h lists them. Word vectors are not among
// them: a step touches few of them (word_table.h).
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
  // Seeded. Of the options, `seed`, `read_bias` and `memory` count. The urge to read of a skip
  // reader starts at 1. A jump reader has a baseline beside the model's own tensors: the reward it
  // expects.
  Weights(const ModelSpec& spec, const FitOptions& options);

  const std::vector<std::string>& names() const { return names_; }
  const torch::Tensor& at(const std::string& name) const { return tensors_.at(name); }
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  // In the order of names().
  std::vector<torch::Tensor> all() const;

 private:
  void favour_what_was_read(const ModelSpec& spec);

  std::vector<std::string> names_;
  std::map<std::string, torch::Tensor> tensors_;
};

}  // namespace skim::train
