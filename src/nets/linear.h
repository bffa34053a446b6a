// A linear layer over a batch of rows.
#pragma once

#include <cstddef>
#include <string>

#include "base/buffer.h"
#include "base/rows.h"
#include "kernels/pack.h"
#include "nets/net.h"

namespace skim {

class Linear {
 public:
  // Takes the tensors `name`.weight of shape [outputs, columns] and `name`.bias.
  Linear(const NetParts& parts, const std::string& name, std::size_t columns);

  std::size_t outputs() const { return outputs_; }
  // Stride of the output rows: outputs(), padded.
  std::size_t stride() const { return matrix_.rows; }
  // out[i] = weight in[i] + bias; grows `out` as needed.
  void forward(const Rows& in, Buffer<float>& out) const;

 private:
  std::size_t outputs_;
  PackedMatrix matrix_;
  Buffer<float> bias_;
};

}  // namespace skim
