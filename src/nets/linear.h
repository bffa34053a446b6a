// A matrix and a bias, for many rows at a time.
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
  // The tensors `name`.w, of `columns` columns, and `name`.b.
  Linear(const NetParts& parts, const std::string& name, std::size_t columns);

  std::size_t outputs() const { return outputs_; }
  // Distance between rows of results: outputs, padded.
  std::size_t stride() const { return matrix_.rows; }
  // into[i] = w in[i] + b; `into` grows to what is needed.
  void apply(const Rows& in, Buffer<float>& into) const;

 private:
  std::size_t outputs_;
  PackedMatrix matrix_;
  Buffer<float> bias_;
};

}  // namespace skim
