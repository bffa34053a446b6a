// The verbs. Each takes what follows it on the command line and returns the exit code.
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

// Becomes skim-train, which stands beside this program or on the PATH; comes back only if that
// fails.
int train_verb(Arguments arguments);

}  // namespace skim::cli
