// From the rows of a reader to scores, without ever looking at the rows.
//
// A pooling works on the reader's log of updates (Output::log in readers/reader.h): a skimmed word
// changes the first d' entries of the row and leaves the tail as it was, so it may cost d'
// operations and no more. What a tail contributes is added up when a read changes it.
//
// All pointers need kPoolSlack readable floats behind their last element: vectors reach over the
// end. What lies there never changes a result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skim/trace.h"

namespace skim {

inline constexpr std::size_t kPoolSlack = 64;
inline constexpr int kPoolLevels = 8;

// The log of one reader. The row before the first update is zero.
struct PoolLog {
  const float* log = nullptr;   // the first steps[t].width entries of each new row, as read
  const Step* steps = nullptr;  // in the order of the text
  std::size_t count = 0;
  const int* widths = nullptr;  // of the levels, falling, d first
  int levels = 1;               // at most kPoolLevels
  bool backward = false;        // read from the last step to the first
};

// out[j] = largest row[t][j], j < d. Zero for an empty log, here and below.
void pool_max(const PoolLog& log, float* out) noexcept;

// out[j] = sum over t of weights[t] * row[t][j]; without `weights` they are all 1.
void pool_sum(const PoolLog& log, const float* weights, float* out) noexcept;

// scores[t] += sum over j of w[j] * row[t][j].
void pool_scores(const PoolLog& log, const float* w, float* scores) noexcept;

// values[i] = exp(values[i]) / sum of exp, in place; writes over the slack.
void softmax(float* values, std::size_t count) noexcept;

// out = w x + b, w being rows x columns.
struct Dense {
  const float* w = nullptr;
  const float* b = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
};
void dense(const Dense& layer, const float* x, float* out) noexcept;

}  // namespace skim
