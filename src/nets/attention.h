// What of a question matters to each word of a text, for nets whose question is rows.
#pragma once

#include <cstddef>
#include <vector>

#include "nets/net.h"

namespace skim {

// How much question row u matters to text row x is the softmax over u of w u + sum_j both_j x_j
// u_j.
class Attention {
 public:
  // The names of the two tensors.
  Attention(const NetParts& parts, const char* w, const char* both);

  // Distance between rows of texts and questions, whose padding is zero.
  std::size_t stride() const;
  // For each row of `text` what of `question` matters, into memory.attended. `largest`, if wanted,
  // gets the largest of what the softmax is taken of.
  void attend_to(const Buffer<float>& question, std::size_t questions, const Buffer<float>& text,
                 std::size_t texts, NetMemory& memory, float* largest = nullptr) const;

 private:
  std::vector<float> w_, both_;
};

}  // namespace skim
