// Knowledge distillation: trained models compute soft targets for the training texts.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "train/options.h"

namespace skim::cli {

struct TeacherOptions {
  int threads = 0;  // 0: one per core
  ProgressBar::Mode bar = ProgressBar::Mode::hidden;
  const std::atomic<bool>* stop = nullptr;  // set by a signal: fail
};

// A teacher that averages the predictions of the models in `files`; none without files. Models are
// loaded when the teacher is called; a model without all labels of the student is an error then.
train::Teacher make_teacher(const std::vector<std::string>& files, TeacherOptions options);

}  // namespace skim::cli
