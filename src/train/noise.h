// Random numbers that are functions of what they are for: seed, step of training, text, word. So
// they do not depend on the order of work, on threads or processes, and need no place in a
// checkpoint.
#pragma once

#include <cmath>
#include <cstdint>

namespace skim::train {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : key_(scramble(seed + kStep)) {}

  // A stream within this one.
  Noise at(std::uint64_t index) const {
    Noise inner = *this;
    inner.key_ = scramble(key_ ^ scramble(index + kStep));
    return inner;
  }

  std::uint64_t bits(std::uint64_t index) const { return scramble(key_ + (index + 1) * kStep); }
  // Evenly from (0, 1), ends excluded.
  float share(std::uint64_t index) const {
    return (static_cast<float>(bits(index) >> 41) + 0.5F) * 0x1p-23F;
  }
  float gumbel(std::uint64_t index) const { return -std::log(-std::log(share(index))); }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;
  static std::uint64_t scramble(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31);
  }

  std::uint64_t key_;
};

// What a stream of a step is for.
enum class Use : std::uint64_t {
  input_dropout = 1,
  output_dropout,
  choice,
  layer_dropout,
  word_dropout,
  crop,
  question_dropout
};

}  // namespace skim::train
