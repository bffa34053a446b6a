// What of a question matters to each word of a text.
#pragma once

#include <cstddef>

#include "base/rows.h"

namespace skim {

// Rows of questions and texts are padded with zeros to a multiple of this many floats, and begin at
// cache lines.
inline constexpr std::size_t kAttendPad = 16;

// All three have one row or entry a word of the question.
struct Question {
  Rows keys;                    // how much a word matters to x is keys * x + bias, softmaxed
  const float* bias = nullptr;  // padded, too
  Rows values;                  // what is taken of it
};

// out[t] = sum over i of softmax_i(keys[i] * x[t] + bias[i]) * values[i]; zero for a question
// without words. `work` has room for as many floats as the question has words, padded.
// largest[t], if wanted, gets the largest of keys[i] * x[t] + bias[i].
void attend(const Question& question, const Rows& x, const MutableRows& out, float* work,
            float* largest = nullptr) noexcept;

}  // namespace skim
