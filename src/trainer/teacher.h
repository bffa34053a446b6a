// Models that teach another one: what they hold of its training texts.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "train/options.h"

namespace skim::cli {

struct Asking {
  int threads = 0;  // 0: one a core
  ProgressBar::Mode bar = ProgressBar::Mode::hidden;
  const std::atomic<bool>* stop = nullptr;  // set by a signal: give up
};

// The mean of what the models in `files` hold; no teacher for no files. A model is loaded when it
// is asked, and one that does not know all labels is an error then.
train::Teacher teacher_of(const std::vector<std::string>& files, Asking asking);

}  // namespace skim::cli
