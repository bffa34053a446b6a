#include "tasks/soft_labels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/result_macros.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

tl::unexpected<Error> malformed_scores(const Example& example) {
  return line_error(example.line,
                    "\"scores\" must be an object from label to probability, or a list of "
                    "probabilities in the order of the labels, each from 0 to 1");
}

Result<void> add_soft_label(std::string label, const Json& value, Example& example) {
  const double probability = value.is_number() ? value.get<double>() : -1;
  if (!(probability >= 0 && probability <= 1)) return malformed_scores(example);
  example.soft_labels.push_back({std::move(label), static_cast<float>(probability)});
  return {};
}

// An element of a list: a probability, or a label with its score.
Result<void> add_element(const Json& element, Example& example) {
  if (!element.is_object()) return add_soft_label({}, element, example);
  const auto label = element.find("label"), score = element.find("score");
  if (label == element.end() || !label->is_string() || score == element.end())
    return malformed_scores(example);
  return add_soft_label(label->get<std::string>(), *score, example);
}

using LabelPositions = std::map<std::string_view, std::size_t>;

// The probabilities in the order of the labels.
Result<std::vector<float>> order(const LabelPositions& positions, const Dataset& data,
                                 const Example& example) {
  std::vector<float> probabilities(positions.size());
  const auto broken = [&](const std::string& what) {
    return fail(Fault::mismatch,
                data.name + ", line " + std::to_string(example.line) + ": \"scores\" " + what);
  };
  const std::vector<SoftLabel>& given = example.soft_labels;
  const bool named = !given.front().label.empty();
  if (!named && given.size() != positions.size())
    return broken("has " + std::to_string(given.size()) + " probabilities, expected " +
                  std::to_string(positions.size()) + ", one per label");
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto found = positions.find(given[i].label);
    if (named && found == positions.end())
      return broken("has the label '" + given[i].label.substr(0, 80) +
                    "', which the model does not have");
    probabilities[named ? found->second : i] = given[i].probability;
  }
  return probabilities;
}

// Labels an example that has soft labels alone.
void set_likely_labels(std::span<const std::string> labels, LabelKind kind, Example& example) {
  const std::vector<float>& probabilities = example.probabilities;
  if (kind == LabelKind::single) {
    const auto best = std::max_element(probabilities.begin(), probabilities.end());
    example.label = labels[static_cast<std::size_t>(best - probabilities.begin())];
    return;
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (probabilities[i] > 0.5F) example.labels.push_back(labels[i]);
  }
}

// Scales probabilities to sum to 1; false when all are 0.
bool normalize(std::vector<float>& probabilities) {
  const float sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0F);
  for (float& probability : probabilities) probability /= sum;
  return sum > 0;
}

}  // namespace

Result<void> read_soft_labels(const Json& scores, Example& example) {
  if (scores.is_object()) {
    for (const auto& [label, probability] : scores.items()) {
      if (label.empty()) return malformed_scores(example);
      SKIM_RETURN_IF_ERROR(add_soft_label(label, probability, example));
    }
  } else if (scores.is_array()) {
    for (const Json& element : scores) SKIM_RETURN_IF_ERROR(add_element(element, example));
  }
  return example.soft_labels.empty() ? Result<void>(malformed_scores(example)) : Result<void>();
}

Result<void> resolve_soft_labels(std::span<const std::string> labels, LabelKind kind,
                                 Dataset& data) {
  LabelPositions positions;
  for (std::size_t i = 0; i < labels.size(); ++i) positions.emplace(labels[i], i);
  for (Example& example : data.examples) {
    if (example.soft_labels.empty()) continue;
    SKIM_ASSIGN_OR_RETURN(example.probabilities, order(positions, data, example));
    if (kind == LabelKind::single && !normalize(example.probabilities))
      return fail(Fault::mismatch,
                  data.name + ", line " + std::to_string(example.line) + ": \"scores\" are all 0");
    if (!example.labelled) set_likely_labels(labels, kind, example);
  }
  return {};
}

}  // namespace skim
