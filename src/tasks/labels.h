// Maps the labels of a data set to those of a model.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skim/result.h"
#include "tasks/example.h"

namespace skim {

// Finds labels in a list. When no label of the list is an integer, an integer is taken as an index.
class LabelIndex {
 public:
  // Borrows `labels`.
  explicit LabelIndex(std::span<const std::string> labels);
  // The error gives the line of the example and the known labels.
  Result<int> find(const std::string& label, const Dataset& data, const Example& example) const;

 private:
  std::span<const std::string> labels_;
  std::map<std::string_view, int> index_;
  bool has_integer_labels_ = false;
};

// Sorts in numeric order if all are integers, else by name.
std::vector<std::string> sort_labels(std::vector<std::string> labels);

// Returns the index of each example's label in `labels`. When no label of the model is an integer,
// an integer label is taken as an index: many data files hold 0 and 1 beside a list of classes.
// Any other label is an error that gives the line and the known labels.
Result<std::vector<int>> label_indices(const Dataset& data, std::span<const std::string> labels);

// Returns the index of each example's correct choice. Fails with the line of an example without
// choices or whose label is not among them.
Result<std::vector<int>> choice_indices(const Dataset& data);

// Returns the distinct labels of a data set, those of soft labels included, in numeric order if all
// are integers, else sorted by name.
std::vector<std::string> collect_labels(const Dataset& data);

}  // namespace skim
