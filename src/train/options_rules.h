// Rules between training options, which the ranges of options_table.h cannot express.
#pragma once

#include <optional>
#include <string>

#include "train/options.h"

namespace skim::train {

// Sets net and output of the spec from the task; before the other functions.
void apply_task(Job& job);

// The first broken rule in terms of the command line, or nothing.
std::optional<std::string> check_options(const Job& job);

// Fills in the fields that options imply: the jumps of spec and training, the crop size, the skim
// sizes of readers that do not skim, the learning rate of frozen embeddings.
void resolve_options(Job& job);

}  // namespace skim::train
