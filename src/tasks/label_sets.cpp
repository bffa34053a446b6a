#include "tasks/label_sets.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "base/result_macros.h"
#include "tasks/labels.h"
#include "tasks/text_lines.h"

namespace skim {
namespace {

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// How often each part of labels with commas occurs in any label.
std::map<std::string, std::size_t> count_parts(const Dataset& data) {
  std::map<std::string, std::size_t> counts;
  for (const Example& example : data.examples) {
    for (const std::string& part : split(example.label, ',')) ++counts[part];
  }
  return counts;
}

}  // namespace

LabelKind label_kind(const ModelSpec& spec) {
  switch (spec.output) {
    case OutputActivation::softmax:
      break;
    case OutputActivation::sigmoid:
      return LabelKind::multiple;
    case OutputActivation::linear:
      return LabelKind::number;
  }
  return LabelKind::single;
}

Result<std::vector<std::string>> split_labels(std::string_view list, std::string_view separators) {
  std::vector<std::string> labels;
  if (is_blank(list)) return labels;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    const std::string_view label = without_blanks(list.substr(begin, end - begin));
    if (label.empty())
      return fail(Fault::format, "the list of labels '" + std::string(list.substr(0, 80)) +
                                     "' holds an empty label");
    if (!contains(labels, label)) labels.emplace_back(label);
    begin = end + 1;
  }
  return labels;
}

std::optional<double> parse_number(std::string_view text) {
  text = without_blanks(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

std::vector<std::string> collect_label_sets(const Dataset& data) {
  std::set<std::string> distinct;
  for (const Example& example : data.examples) {
    distinct.insert(example.labels.begin(), example.labels.end());
    for (const SoftLabel& soft : example.soft_labels) distinct.insert(soft.label);
  }
  distinct.erase("");
  return sort_labels({distinct.begin(), distinct.end()});
}

Result<std::vector<std::vector<int>>> label_set_indices(const Dataset& data,
                                                        std::span<const std::string> labels) {
  const LabelIndex index(labels);
  std::vector<std::vector<int>> sets;
  sets.reserve(data.examples.size());
  for (const Example& example : data.examples) {
    std::vector<int>& set = sets.emplace_back();
    for (const std::string& label : example.labels) {
      SKIM_ASSIGN_OR_RETURN(const int found, index.find(label, data, example));
      set.push_back(found);
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  return sets;
}

bool looks_multi_label(const Dataset& data) {
  constexpr double kMinLists = 0.02, kMinRecurring = 0.9;
  const auto counts = count_parts(data);
  std::size_t lists = 0, parts = 0, recurring = 0;
  for (const Example& example : data.examples) {
    if (example.label.find(',') == std::string::npos) continue;
    ++lists;
    for (const std::string& part : split(example.label, ',')) {
      ++parts;
      recurring += !part.empty() && counts.at(part) > 1 ? 1U : 0U;
    }
  }
  const auto all = static_cast<double>(data.examples.size());
  return lists > 1 && static_cast<double>(lists) >= kMinLists * all &&
         static_cast<double>(recurring) >= kMinRecurring * static_cast<double>(parts);
}

}  // namespace skim
