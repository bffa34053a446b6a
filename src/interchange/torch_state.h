// Finds the recurrent layers, the embedding and the head of a classifier in a PyTorch state dict
// (safetensors).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "file/safetensors.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

// Tensor names given by the user; empty ones are inferred when unambiguous.
struct TorchNames {
  std::string rnn;        // "lstm", for lstm.weight_ih_l0 and so on
  std::string embedding;  // "embedding", or the whole name
  std::string head;       // "fc", for fc.weight and fc.bias
};

// Known sizes that distinguish embedding and head from other tensors.
struct TorchSizes {
  std::size_t words = 0;
  std::size_t labels = 0;
};

// One layer in one direction; null biases in networks without biases.
struct TorchLayer {
  const TensorView* weight_ih = nullptr;  // [gates * hidden, input]
  const TensorView* weight_hh = nullptr;  // [gates * hidden, hidden]
  const TensorView* bias_ih = nullptr;    // [gates * hidden]
  const TensorView* bias_hh = nullptr;    // [gates * hidden]
};

// The tensors of a classifier, with consistent shapes. Points into the container.
struct TorchState {
  Cell cell = Cell::lstm;
  std::size_t hidden_size = 0;
  int num_layers = 0;
  bool bidirectional = false;
  std::vector<TorchLayer> readers;  // layer by layer, forward before backward
  const TensorView* embedding = nullptr;
  const TensorView* head = nullptr;  // [labels, row], or [1, row] where there are two labels
  const TensorView* head_bias = nullptr;
};

// Errors name the tensor, or the option that resolves an ambiguity. Any other tensor is an error:
// the network then is more than a dense classifier.
Result<TorchState> find_torch_state(const Container& container, const TorchNames& names,
                                    const TorchSizes& sizes, const std::string& file);

}  // namespace skim
