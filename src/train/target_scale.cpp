#include "train/target_scale.h"

#include <cmath>

namespace skim::train {
namespace {

// Replaces the weights of the last layer by factor * weight, and its bias by factor * bias +
// offset.
void transform_head(double factor, double offset, NamedWeights& weights) {
  const auto weight = weights.find("head.weight"), bias = weights.find("head.bias");
  if (weight == weights.end() || bias == weights.end()) return;
  for (float& value : weight->second) value = static_cast<float>(factor * value);
  for (float& value : bias->second) value = static_cast<float>(factor * value + offset);
}

}  // namespace

Result<TargetScale> measure_target_scale(const Dataset& data) {
  const auto count = static_cast<double>(data.examples.size());
  TargetScale scale;
  double variance = 0;
  for (const Example& example : data.examples) scale.mean += example.value / count;
  for (const Example& example : data.examples)
    variance += (example.value - scale.mean) * (example.value - scale.mean) / count;
  scale.scale = std::sqrt(variance);
  constexpr double kMax = 1e30;
  if (scale.scale > 0 && scale.scale < kMax && std::abs(scale.mean) < kMax) return scale;
  return fail(Fault::argument, data.name + ": the numbers have mean " + std::to_string(scale.mean) +
                                   " and standard deviation " + std::to_string(scale.scale) +
                                   ", expected numbers that differ and are below 1e30");
}

void standardize(const TargetScale& scale, std::vector<Item>& items) {
  for (Item& item : items)
    item.value = static_cast<float>((static_cast<double>(item.value.value_or(0)) - scale.mean) /
                                    scale.scale);
}

void fold_scale(const TargetScale& scale, NamedWeights& weights) {
  transform_head(scale.scale, scale.mean, weights);
}

void unfold_scale(const TargetScale& scale, NamedWeights& weights) {
  transform_head(1 / scale.scale, -scale.mean / scale.scale, weights);
}

}  // namespace skim::train
