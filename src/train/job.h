// One training from files to a draft of a model. No torch here: programs include this.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/query.h"
#include "skim/result.h"
#include "train/options.h"

namespace skim::train {

struct JobProgress {
  std::int64_t step = 0, steps = 0;
  double loss = 0, skim_rate = 0, words_a_second = 0, seconds = 0, seconds_left = 0;
  bool looked = false;  // dev was just measured
  bool best = false;
  double dev_accuracy = 0, dev_loss = 0, dev_skim_rate = 0;
};

struct JobListener {
  std::function<void(const std::string&)> message;   // something the user should know
  std::function<void(const JobProgress&)> progress;  // after every step
  const std::atomic<bool>* stop = nullptr;           // set by a signal: put aside and end
};

struct JobReport {
  bool finished = false;  // else it was stopped, and the checkpoint goes on from there
  bool first = true;      // of a group of processes; only that one has a draft to write
  ModelDraft draft;
  std::vector<Query> dev;  // for calibration
  std::string dev_name;
  double accuracy = 0, skim_rate = 0;  // of dev, under the hard rule
  std::int64_t best_step = 0, steps = 0;
  double seconds = 0;
};

Result<JobReport> run_job(Job job, const JobListener& listener);

// Where the checkpoint lies; main removes it when the model is safe.
std::string checkpoint_file(const Job& job);

// The BLAS that matrix products go to: "OpenBLAS ...", "BLIS ...", or empty when it is an unknown,
// probably slow one.
std::string blas_name();

}  // namespace skim::train
