// Softmax attention over a short sequence: the kernel of the attention layers of span and BiDAF
// nets.
#pragma once

#include <cstddef>

#include "base/rows.h"

namespace skim {

// Rows of queries, keys and values are padded with zeros to a multiple of this many floats and
// start on cache lines.
inline constexpr std::size_t kAttentionPad = 16;

// The sequence that is attended to. Keys, biases and values have one row or entry per position.
struct KeyValues {
  Rows keys;                    // the logits of a query x are keys * x + bias
  const float* bias = nullptr;  // padded to a multiple of kAttentionPad
  Rows values;                  // averaged with the softmax of the logits as weights
};

// out[t] = sum over i of softmax_i(keys[i] * x[t] + bias[i]) * values[i]; zero when `memory` is
// empty. `weights` is scratch for one float per position of `memory`, padded. `max_logits`, if not
// null, gets the largest logit of each query. Allocates nothing.
void attention_forward(const KeyValues& memory, const Rows& x, const MutableRows& out,
                       float* weights, float* max_logits = nullptr) noexcept;

}  // namespace skim
