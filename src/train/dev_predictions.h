// The predictions of multi-label and regression nets on dev, while training.
#pragma once

#include <vector>

#include "train/batch.h"
#include "train/nets/layers.h"
#include "train/process_group.h"

namespace skim::train {

// Not thread-safe.
class DevPredictions {
 public:
  // Borrows `items`.
  DevPredictions(const ModelSpec& spec, const std::vector<Item>& items);

  // Adds the output for a batch of the items.
  void add(const NetOutput& out, const Batch& batch);
  // Shares the predictions of all processes, which have added different batches.
  void reduce(ProcessGroup& group);
  // Micro F1 with the thresholds per label that are best on dev, or the coefficient of
  // determination: 1 less the squared error over that of the mean of dev.
  double score() const;

 private:
  double micro_f1() const;
  double determination() const;

  OutputActivation output_;
  const std::vector<Item>& items_;
  std::size_t width_;
  std::vector<float> scores_;  // [items, width]: scores of labels, or numbers
};

}  // namespace skim::train
