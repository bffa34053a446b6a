// The labels of a data set against those of a model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "skim/result.h"
#include "tasks/example.h"

namespace skim {

// For each example the index of its label among `labels`. Where none of those is a whole number, a
// label that is one indexes the list: many data files hold 0 and 1 beside a list of classes.
// Anything else is an error that names the line and the labels there are.
Result<std::vector<int>> label_indices(const Dataset& data, std::span<const std::string> labels);

// For each example which of its choices is right. An example without choices, or whose label is
// none of them, is an error that names its line.
Result<std::vector<int>> choice_indices(const Dataset& data);

// The distinct labels of a data set: numbers in numeric order if all are numbers, else by name.
std::vector<std::string> labels_of(const Dataset& data);

}  // namespace skim
