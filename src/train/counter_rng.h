// A counter-based random number generator: numbers are functions of seed, step, text and word. They
// do not depend on the order of work, on threads or on processes, and a checkpoint need not store
// them.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/splitmix.h"

namespace skim::train {

class CounterRng {
 public:
  explicit CounterRng(std::uint64_t seed) : key_(splitmix64(seed + kSplitMixGamma)) {}

  // The independent substream `index`.
  CounterRng at(std::uint64_t index) const {
    CounterRng inner = *this;
    inner.key_ = splitmix64(key_ ^ splitmix64(index + kSplitMixGamma));
    return inner;
  }

  std::uint64_t bits(std::uint64_t index) const {
    return splitmix64(key_ + (index + 1) * kSplitMixGamma);
  }
  // Uniform in (0, 1), both ends excluded.
  float uniform(std::uint64_t index) const {
    return (static_cast<float>(bits(index) >> 41) + 0.5F) * 0x1p-23F;
  }
  float gumbel(std::uint64_t index) const { return -std::log(-std::log(uniform(index))); }

 private:
  std::uint64_t key_;
};

// The substreams of a step.
enum class RandomUse : std::uint64_t {
  input_dropout = 1,
  output_dropout,
  choice,
  layer_dropout,
  word_dropout,
  crop,
  question_dropout,
  bidaf_word_dropout,  // BiDAF uses word_dropout for the input of its modelling layer
  subword_dropout
};

}  // namespace skim::train
