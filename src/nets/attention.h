// Attention layer of a context over a query.
#pragma once

#include <cstddef>
#include <vector>

#include "nets/net.h"

namespace skim {

// The logit of context row x and query row u is <query_weight, u> + <product_weight, x * u>; the
// softmax is taken over the query rows.
class Attention {
 public:
  // Takes the names of the two weight tensors.
  Attention(const NetParts& parts, const char* query_name, const char* product_name);

  // Stride of context and query rows, whose padding is zero.
  std::size_t stride() const;
  // Writes the attention of each context row over the query to memory.attended. `max_logits`, if
  // not null, gets the largest logit of each context row.
  void forward(const Buffer<float>& query, std::size_t query_count, const Buffer<float>& context,
               std::size_t context_count, NetMemory& memory, float* max_logits = nullptr) const;

 private:
  std::vector<float> query_weight_, product_weight_;
};

}  // namespace skim
