// Adam with clipped gradients and a running average of the weights, for the weights of a net and
// for word vectors, of which a step touches a few.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "train/corpus.h"
#include "train/options.h"
#include "train/weights.h"

namespace skim::train {

// One array with its moments and average.
struct Slot {
  std::vector<float> first, second, average;
};

// Each word once, rising.
std::vector<std::int32_t> distinct_words(std::vector<std::int32_t> words);

// Word vectors. Moments of a vector move only in steps that touch it; its average is brought up to
// date by as many steps as it missed, which is exact, because it did not change in between.
class WordTable {
 public:
  WordTable(const Vocabulary& vocabulary, const AdamOptions& options);

  std::int64_t width() const { return width_; }
  std::size_t size() const { return rates_.size(); }
  bool trains() const { return trains_; }
  torch::Tensor rows(const std::vector<std::int32_t>& words) const;
  void update(const std::vector<std::int32_t>& words, const float* gradients, std::int64_t step,
              double scale);
  // Brings all averages to `step`.
  void settle(std::int64_t step);
  // Averages begin anew with the vectors as they are now.
  void restart_average(std::int64_t step);
  // The averages where there are any, else the vectors.
  const std::vector<float>& averaged() const;

  // All that a checkpoint must keep.
  std::vector<float> values;
  Slot slot;
  std::vector<std::int32_t> touched;  // the step after which each average was last brought up

 private:
  AdamOptions options_;
  std::int64_t width_;
  std::vector<float> rates_;
  bool trains_ = false;
  void catch_up(std::size_t word, std::int64_t step);
};

class Adam {
 public:
  Adam(Weights& weights, const AdamOptions& options);

  // Gradients of all weights in a row, in the order of names(), after `backward`.
  void gather(std::vector<float>& gradients) const;
  std::size_t size() const { return size_; }
  void update(const float* gradients, std::int64_t step, double scale);
  // Averages begin anew with the weights as they are now.
  void restart_average();
  void copy_average_to(std::map<std::string, std::vector<float>>& into) const;

  std::vector<Slot> slots;  // one a weight, in the order of names()

 private:
  Weights& weights_;
  AdamOptions options_;
  std::size_t size_ = 0;
};

// What gradients are multiplied with so that their norm is at most `clip`.
double clip_scale(const std::vector<float>& gradients, double clip);

}  // namespace skim::train
