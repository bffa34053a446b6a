// Maps the labels of a data set to those of a model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "skim/result.h"
#include "tasks/example.h"

namespace skim {

// Returns the index of each example's label in `labels`. When no label of the model is an integer,
// an integer label is taken as an index: many data files hold 0 and 1 beside a list of classes.
// Any other label is an error that gives the line and the known labels.
Result<std::vector<int>> label_indices(const Dataset& data, std::span<const std::string> labels);

// Returns the index of each example's correct choice. Fails with the line of an example without
// choices or whose label is not among them.
Result<std::vector<int>> choice_indices(const Dataset& data);

// Returns the distinct labels of a data set, in numeric order if all are integers, else sorted by
// name.
std::vector<std::string> collect_labels(const Dataset& data);

}  // namespace skim
