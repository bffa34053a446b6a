// One example of labelled text as a JSON object.
#pragma once

#include <string_view>

#include "base/json.h"
#include "skim/result.h"
#include "tasks/example.h"
#include "tasks/label_sets.h"

namespace skim {

// Sets text, labels and weight of `example`, whose line is set, from {"text": ..., "label": ...}:
//   single    "label" is a string or an integer
//   multiple  "labels" is a list of them; or "label", a list or one label
//   number    "label" is a number, or a number in a string
// "weight" is optional. So are "scores" beside or instead of labels (soft_labels.h). Other fields
// are ignored. The error gives the line.
Result<void> read_json_example(LabelKind kind, const Json& object, Example& example);

// Sets the weight from a decimal number from 0 to 1,000,000.
Result<void> read_weight(std::string_view text, Example& example);

}  // namespace skim
