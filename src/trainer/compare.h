// skim train compare: does the runtime read a model as the trainer does?
#pragma once

#include "cli/options.h"

namespace skim::cli {

int compare(Arguments arguments);

}  // namespace skim::cli
