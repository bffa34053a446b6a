// The command line of skim train.
#pragma once

#include <optional>
#include <string>

#include "cli/options.h"
#include "train/options.h"

namespace skim::cli {

struct TrainOptions {
  train::Job job;
  std::string out, test;        // test may be empty
  bool no_temperature = false;  // leave the scores uncalibrated
  bool json = false, quiet = false;
};

// Parses, checks and resolves the options. Nothing when training can start; else the exit code,
// after the help or a message was printed.
std::optional<int> parse_train_options(Arguments arguments, TrainOptions& chosen);

}  // namespace skim::cli
