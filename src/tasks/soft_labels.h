// Soft labels: the probability of each label, as a teacher or several annotators give it.
#pragma once

#include <span>
#include <string>

#include "base/json.h"
#include "skim/result.h"
#include "tasks/example.h"
#include "tasks/label_sets.h"

namespace skim {

// Reads the field "scores" of a JSON line into Example::soft_labels: an object from label to
// probability, a list of {"label", "score"} as `skim run --json` prints it, or a list of
// probabilities in the order of the labels. The error gives the line.
Result<void> read_soft_labels(const Json& scores, Example& example);

// Sets Example::probabilities from the soft labels, one per label of `labels`; 0 for labels without
// a probability. Those of single labels are scaled to sum to 1. An example without a label gets the
// most likely one, or of several labels those with a probability above 0.5. The error gives the
// line of an unknown label or of a list of another length.
Result<void> resolve_soft_labels(std::span<const std::string> labels, LabelKind kind,
                                 Dataset& data);

}  // namespace skim
