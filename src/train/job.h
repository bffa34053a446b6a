// A training run from files to the draft of a model. Includes no torch: programs use this header.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/query.h"
#include "skim/result.h"
#include "train/corpus.h"
#include "train/options.h"

namespace skim::train {

// The state of a run after a step.
struct JobProgress {
  std::int64_t step = 0, steps = 0;  // steps: the expected end
  double loss = 0, skim_rate = 0, words_per_second = 0, seconds = 0, seconds_left = 0;
  bool evaluated = false;  // on dev, in this step
  bool best = false;
  double dev_accuracy = 0, dev_loss = 0, dev_skim_rate = 0;  // as in Score
};

struct JobListener {
  std::function<void(const std::string&)> message;   // for the user
  std::function<void(const JobProgress&)> progress;  // after every step
  const std::atomic<bool>* stop = nullptr;           // set by a signal: save a checkpoint and end
};

struct JobReport {
  bool finished = false;      // else it was stopped, and --resume continues it
  bool was_finished = false;  // before this run: --resume found the model, and there is no draft
  bool is_rank_zero = true;   // in a process group; the others have no draft
  ModelDraft draft;
  std::vector<Query> dev;      // for calibration
  std::vector<int> dev_truth;  // indices of their labels; empty unless there are labels
  std::string dev_name;
  // The targets of dev, for the thresholds of labels and for metrics.
  std::vector<std::vector<int>> dev_label_sets;  // of multi-label nets
  std::vector<double> dev_values;                // of regression nets
  double accuracy = 0, skim_rate = 0;            // on dev, with hard decisions
  std::int64_t best_step = 0, steps = 0;
  double seconds = 0;
  std::string embedding_source;  // of pretrained embeddings; empty for none
  Coverage coverage;             // of the training texts by them
};

// Trains, as one process or as one of the group that the environment describes.
Result<JobReport> run_job(Job job, const JobListener& listener);

// The name of the BLAS in use: "OpenBLAS ...", "BLIS ...", or empty for an unknown, probably slow
// one.
std::string blas_name();

}  // namespace skim::train
