// The part of make_data that writes models: hand-set weights that solve the planted task, and
// random weights of every shape.
#pragma once

namespace skim {

// Runs `make_data --option value ...` and returns the exit code.
int make_models(int count, char** arguments);

}  // namespace skim
