// Labels of examples that have any number of them, and numbers instead of labels.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"

namespace skim {

// What an example of labelled text is labelled with.
enum class LabelKind {
  single,    // one label, which may contain commas
  multiple,  // a list of labels, which may be empty
  number,
};

// What a model with this output is trained on and evaluated with.
LabelKind label_kind(const ModelSpec& spec);

// Splits a list of labels at any of `separators` and removes blanks and duplicates. A blank list is
// empty. Fails when a label between separators is empty.
Result<std::vector<std::string>> split_labels(std::string_view list, std::string_view separators);

// Parses a finite decimal number, with blanks around it; nothing for other text.
std::optional<double> parse_number(std::string_view text);

// Returns the distinct labels of Example::labels and soft labels, in numeric order if all are
// integers, else sorted by name.
std::vector<std::string> collect_label_sets(const Dataset& data);

// Returns the indices of each example's labels in `labels`, in increasing order. Integers may be
// indices, as in label_indices. The error gives the line of an unknown label.
Result<std::vector<std::vector<int>>> label_set_indices(const Dataset& data,
                                                        std::span<const std::string> labels);

// Whether many of the labels are lists of labels, separated by commas, whose parts recur: then the
// data set is probably multi-label.
bool looks_multi_label(const Dataset& data);

}  // namespace skim
