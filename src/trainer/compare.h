// skim train compare: compares the runtime with the trainer on a model.
#pragma once

#include "cli/options.h"

namespace skim::cli {

int compare(Arguments arguments);

}  // namespace skim::cli
