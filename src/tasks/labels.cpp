#include "tasks/labels.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/result_macros.h"

namespace skim {
namespace {

std::optional<long long> parse_integer(std::string_view text) {
  long long number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string join_labels(std::span<const std::string> labels) {
  constexpr std::size_t kShown = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(labels.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + labels[i];
  }
  if (labels.size() > kShown) list += ", ... (" + std::to_string(labels.size()) + " in all)";
  return list;
}

}  // namespace

LabelIndex::LabelIndex(std::span<const std::string> labels) : labels_(labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) index_.emplace(labels[i], static_cast<int>(i));
  has_integer_labels_ = std::any_of(labels.begin(), labels.end(), [](const std::string& label) {
    return parse_integer(label).has_value();
  });
}

Result<int> LabelIndex::find(const std::string& label, const Dataset& data,
                             const Example& example) const {
  if (const auto known = index_.find(label); known != index_.end()) return known->second;
  const auto number = parse_integer(label);
  if (has_integer_labels_ || !number || *number < 0 ||
      *number >= static_cast<long long>(labels_.size())) {
    return fail(Fault::mismatch, data.name + ", line " + std::to_string(example.line) +
                                     ": the model has no label '" + label.substr(0, 80) +
                                     "'; its labels are " + join_labels(labels_));
  }
  return static_cast<int>(*number);
}

Result<std::vector<int>> label_indices(const Dataset& data, std::span<const std::string> labels) {
  const LabelIndex index(labels);
  std::vector<int> indices;
  indices.reserve(data.examples.size());
  for (const Example& example : data.examples) {
    SKIM_ASSIGN_OR_RETURN(const int found, index.find(example.label, data, example));
    indices.push_back(found);
  }
  return indices;
}

Result<std::vector<int>> choice_indices(const Dataset& data) {
  std::vector<int> indices;
  for (const Example& example : data.examples) {
    const std::string where = data.name + ", line " + std::to_string(example.line) + ": ";
    const std::vector<std::string>& choices = example.query.choices;
    if (choices.empty()) return fail(Fault::mismatch, where + "has no choices");
    const auto right = std::find(choices.begin(), choices.end(), example.label);
    if (right == choices.end())
      return fail(Fault::mismatch,
                  where + "the answer '" + example.label + "' is not among the choices");
    indices.push_back(static_cast<int>(right - choices.begin()));
  }
  return indices;
}

std::vector<std::string> collect_labels(const Dataset& data) {
  std::set<std::string> distinct;
  for (const Example& example : data.examples) {
    if (example.labelled) distinct.insert(example.label);
    for (const SoftLabel& soft : example.soft_labels) distinct.insert(soft.label);
  }
  distinct.erase("");
  return sort_labels({distinct.begin(), distinct.end()});
}

std::vector<std::string> sort_labels(std::vector<std::string> labels) {
  std::sort(labels.begin(), labels.end());
  const bool all_integers = std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    return parse_integer(label).has_value();
  });
  if (all_integers) {
    std::sort(labels.begin(), labels.end(), [](const std::string& left, const std::string& right) {
      return *parse_integer(left) < *parse_integer(right);
    });
  }
  return labels;
}

}  // namespace skim
