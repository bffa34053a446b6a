// A PyTorch state saved as safetensors: finds the recurrent layers, the embedding and the head of a
// plain classifier in it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "file/safetensors.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

// What the user says of the names; what is empty is found where only one tensor can be meant.
struct TorchNames {
  std::string rnn;        // "lstm", for lstm.weight_ih_l0 and so on
  std::string embedding;  // "embedding", or the whole name
  std::string head;       // "fc", for fc.weight and fc.bias
};

// Sizes that are known from elsewhere and tell embedding and head from other tensors.
struct TorchSizes {
  std::size_t words = 0;
  std::size_t labels = 0;
};

// One layer in one direction. Biases are absent in networks without.
struct TorchLayer {
  const TensorView* input = nullptr;       // weight_ih [gates * hidden, input]
  const TensorView* state = nullptr;       // weight_hh [gates * hidden, hidden]
  const TensorView* input_bias = nullptr;  // bias_ih [gates * hidden]
  const TensorView* state_bias = nullptr;  // bias_hh
};

// All shapes fit each other and the sizes asked for. Points into the container.
struct TorchState {
  Cell cell = Cell::lstm;
  std::size_t hidden = 0;
  int layers = 0;
  bool bidirectional = false;
  std::vector<TorchLayer> readers;  // layer by layer, forward before backward
  const TensorView* embedding = nullptr;
  const TensorView* head = nullptr;  // [labels, row], or [1, row] where there are two labels
  const TensorView* head_bias = nullptr;
};

// Errors name the tensor, or the option that would settle what is meant. A tensor that is none of
// these is an error, too: the network then does more than a plain classifier.
Result<TorchState> find_torch_state(const Container& container, const TorchNames& names,
                                    const TorchSizes& sizes, const std::string& file);

}  // namespace skim
