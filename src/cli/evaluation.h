// Options that eval, sweep and tune share: data set and timing.
#pragma once

#include <string>
#include <string_view>

#include "cli/model_choice.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "eval/test_set.h"
#include "eval/timing.h"
#include "skim/model.h"
#include "skim/result.h"
#include "tasks/example.h"

namespace skim::cli {

struct DataChoice {
  std::string file;
  int limit = 0;  // 0: all
  int threads = 0;
  bool quiet = false;

  ProgressBar::Mode progress() const {
    return quiet ? ProgressBar::Mode::hidden : ProgressBar::Mode::shown;
  }
};
void declare(Options& options, DataChoice& choice);
// Returns an error message for invalid options; empty if valid.
std::string validate(const DataChoice& choice);

// Loads labels of the kind that a model with this spec needs.
Result<Dataset> load_data(const DataChoice& choice, const ModelSpec& spec);
Result<TestSet> load_test_set(const DataChoice& choice, const Model& model);

struct TimingChoice {
  double seconds = 2;
  int rounds = 7;
  TimingOptions options() const { return {seconds, rounds}; }
};
void declare(Options& options, TimingChoice& choice);
std::string validate(const TimingChoice& choice);

}  // namespace skim::cli
