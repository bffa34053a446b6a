// The verbs. Each takes its command-line arguments and returns the exit code.
#pragma once

#include "cli/options.h"

namespace skim::cli {

int read_verb(Arguments arguments);
int run_verb(Arguments arguments);
int eval_verb(Arguments arguments);
int sweep_verb(Arguments arguments);
int tune_verb(Arguments arguments);
int bench_verb(Arguments arguments);
int serve_verb(Arguments arguments);
int info_verb(Arguments arguments);
int verify_verb(Arguments arguments);
int quantize_verb(Arguments arguments);
int export_verb(Arguments arguments);
int import_verb(Arguments arguments);
int upgrade_verb(Arguments arguments);

// Replaces this process by skim-train, found beside this program or on the PATH; returns only on
// failure.
int train_verb(Arguments arguments);

}  // namespace skim::cli
