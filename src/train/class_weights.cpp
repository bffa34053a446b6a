#include "train/class_weights.h"

#include <algorithm>
#include <string_view>

#include "base/result_macros.h"
#include "tasks/label_sets.h"
#include "tasks/text_lines.h"

namespace skim::train {
namespace {

std::vector<double> count_labels(const ModelSpec& spec, const std::vector<Item>& items) {
  std::vector<double> counts(spec.labels.size());
  for (const Item& item : items) {
    if (item.num_labels == 0) counts[static_cast<std::size_t>(item.label)] += 1;
    for (const std::int32_t label : item.labels) counts[static_cast<std::size_t>(label)] += 1;
  }
  return counts;
}

// A label without texts has weight 1.
std::vector<float> balanced_weights(const ModelSpec& spec, const std::vector<Item>& items) {
  const auto texts = static_cast<double>(items.size());
  const auto labels = static_cast<double>(spec.labels.size());
  const bool multi = spec.output == OutputActivation::sigmoid;
  std::vector<float> weights;
  for (const double count : count_labels(spec, items)) {
    const double weight = multi ? (texts - count) / count : texts / (labels * count);
    weights.push_back(count > 0 && weight > 0 ? static_cast<float>(weight) : 1.0F);
  }
  return weights;
}

Result<void> set_weight(const std::string& part, const ModelSpec& spec,
                        std::vector<float>& weights) {
  const std::size_t equals = part.rfind('=');
  const auto weight =
      equals == std::string::npos ? std::nullopt : parse_number(part.substr(equals + 1));
  if (!weight || *weight < 0)
    return fail(Fault::argument, "--class-weights: '" + part +
                                     "' is not label=weight with a weight of at least 0; expected "
                                     "balanced or a list such as good=1,bad=2.5");
  const std::string name = part.substr(0, equals);
  const auto label = std::find(spec.labels.begin(), spec.labels.end(), name);
  if (label == spec.labels.end())
    return fail(Fault::argument, "--class-weights: no text has the label '" + name + "'");
  weights[static_cast<std::size_t>(label - spec.labels.begin())] = static_cast<float>(*weight);
  return {};
}

}  // namespace

Result<std::vector<float>> parse_class_weights(const std::string& text, const ModelSpec& spec,
                                               const std::vector<Item>& items) {
  if (text == "balanced") return balanced_weights(spec, items);
  std::vector<float> weights(spec.labels.size(), 1.0F);
  for (const std::string& part : split(text, ','))
    SKIM_RETURN_IF_ERROR(set_weight(part, spec, weights));
  return weights;
}

void apply_class_weights(const std::vector<float>& weights, std::vector<Item>& items) {
  for (Item& item : items) item.weight *= weights[static_cast<std::size_t>(item.label)];
}

}  // namespace skim::train
