// Pooling over the hidden states of a reader, softmax, and linear layers for a single vector.
//
// Pooling works on the reader's log of state updates (Output::log in readers/reader.h) instead of
// on dense rows: a skimmed word changes the first d' entries of the hidden state, so it costs d'
// operations. The contribution of the unchanged suffix is accumulated when the next read changes
// it.
//
// All pointers need kPoolPadding readable floats after their last element, because vectors are
// loaded whole. The values there never affect a result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skim/trace.h"

namespace skim {

inline constexpr std::size_t kPoolPadding = 64;
inline constexpr int kMaxPoolLevels = 8;

// The state updates of one reader. The hidden state before the first update is zero.
struct UpdateLog {
  const float* log =
      nullptr;  // the first steps[t].width entries of each new state, in reading order
  const Step* steps = nullptr;  // in text order
  std::size_t count = 0;
  const int* widths = nullptr;  // of the levels, descending, hidden size first
  int levels = 1;               // at most kMaxPoolLevels
  bool backward = false;        // read from the last step to the first
};

// out[j] = max over t of row[t][j], for j < hidden size. An empty log gives zeros, here and below.
void pool_max(const UpdateLog& log, float* out) noexcept;

// out[j] = sum over t of weights[t] * row[t][j]; null `weights` are all 1.
void pool_sum(const UpdateLog& log, const float* weights, float* out) noexcept;

// logits[t] += sum over j of w[j] * row[t][j].
void row_logits(const UpdateLog& log, const float* w, float* logits) noexcept;

// Softmax in place: values[i] = exp(values[i]) / sum of exp. Overwrites the padding.
void softmax(float* values, std::size_t count) noexcept;

// Linear layer of one vector: out = weight x + bias, with weight of shape [rows, columns].
struct LinearParams {
  const float* weight = nullptr;
  const float* bias = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
};
void linear(const LinearParams& layer, const float* x, float* out) noexcept;

}  // namespace skim
