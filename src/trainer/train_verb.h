// skim train: options, progress, and the verification of the trained model by the runtime.
// src/train does the training.
#pragma once

#include "cli/options.h"

namespace skim::cli {

// Trains as the arguments say and returns the exit code. SIGINT and SIGTERM stop the training at a
// checkpoint.
int run_train_verb(Arguments arguments);

}  // namespace skim::cli
