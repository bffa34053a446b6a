// Standardization of the numbers that a regression net learns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "skim/result.h"
#include "tasks/example.h"
#include "train/corpus.h"

namespace skim::train {

// Nets learn (number - mean) / scale.
struct TargetScale {
  double mean = 0, scale = 1;
};

// The mean and standard deviation of the numbers of a data set. Fails when all are equal.
Result<TargetScale> measure_target_scale(const Dataset& data);

// Replaces the numbers of items by standardized ones.
void standardize(const TargetScale& scale, std::vector<Item>& items);

// Changes the last layer of a net that predicts standardized numbers so that it predicts numbers,
// and back.
using NamedWeights = std::map<std::string, std::vector<float>>;
void fold_scale(const TargetScale& scale, NamedWeights& weights);
void unfold_scale(const TargetScale& scale, NamedWeights& weights);

}  // namespace skim::train
