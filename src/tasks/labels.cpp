#include "tasks/labels.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace skim {
namespace {

std::optional<long long> whole_number(std::string_view text) {
  long long number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string list_of(std::span<const std::string> labels) {
  constexpr std::size_t kShown = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(labels.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + labels[i];
  }
  if (labels.size() > kShown) list += ", ... (" + std::to_string(labels.size()) + " in all)";
  return list;
}

}  // namespace

Result<std::vector<int>> label_indices(const Dataset& data, std::span<const std::string> labels) {
  std::map<std::string_view, int> index;
  for (std::size_t i = 0; i < labels.size(); ++i) index.emplace(labels[i], static_cast<int>(i));
  const bool numbered = std::any_of(labels.begin(), labels.end(), [](const std::string& label) {
    return whole_number(label).has_value();
  });
  std::vector<int> indices;
  indices.reserve(data.examples.size());
  for (const Example& example : data.examples) {
    if (const auto known = index.find(example.label); known != index.end()) {
      indices.push_back(known->second);
      continue;
    }
    const auto number = whole_number(example.label);
    if (numbered || !number || *number < 0 || *number >= static_cast<long long>(labels.size())) {
      return fail(Fault::mismatch, data.name + ": line " + std::to_string(example.line) +
                                       ": the model has no label '" + example.label.substr(0, 80) +
                                       "'; its labels are " + list_of(labels));
    }
    indices.push_back(static_cast<int>(*number));
  }
  return indices;
}

Result<std::vector<int>> choice_indices(const Dataset& data) {
  std::vector<int> indices;
  for (const Example& example : data.examples) {
    const std::string where = data.name + ", line " + std::to_string(example.line) + ": ";
    const std::vector<std::string>& choices = example.query.choices;
    if (choices.empty())
      return fail(Fault::mismatch, where + "has no choices, one of which is to be the answer");
    const auto right = std::find(choices.begin(), choices.end(), example.label);
    if (right == choices.end())
      return fail(Fault::mismatch,
                  where + "the right answer '" + example.label + "' is none of the choices");
    indices.push_back(static_cast<int>(right - choices.begin()));
  }
  return indices;
}

std::vector<std::string> labels_of(const Dataset& data) {
  std::set<std::string> distinct;
  for (const Example& example : data.examples) distinct.insert(example.label);
  std::vector<std::string> labels(distinct.begin(), distinct.end());
  const bool numbers = std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    return whole_number(label).has_value();
  });
  if (numbers) {
    std::sort(labels.begin(), labels.end(), [](const std::string& left, const std::string& right) {
      return *whole_number(left) < *whole_number(right);
    });
  }
  return labels;
}

}  // namespace skim
