// One run of a row: a training, a look at the test texts, and what came out as JSON.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "eval/progress.h"
#include "experiment/config.h"
#include "experiment/store.h"
#include "skim/result.h"

namespace skim {

// Where things are.
struct Workshop {
  std::filesystem::path data;  // the data sets
  std::filesystem::path work;  // models, checkpoints, logs: kept, so that a stopped run goes on
  std::string trainer;         // the program skim-train
  int threads = 1;             // of training
  bool quiet = false;
};

// The model of a run. Its name holds the recipe, so that a changed row never meets an old model.
std::filesystem::path model_path(const Workshop& workshop, const Row& row, const Recipe& recipe);

// Trains, unless the model is there already, going on from a checkpoint if there is one. False when
// training was stopped by a signal: the next call goes on. The models it builds on must be there.
Result<bool> train_run(const Workshop& workshop, const Experiments& all, const Row& row,
                       const Recipe& recipe);

// Reads the test texts with the model: accuracy, skim rate and work at the model's own choice, and
// at the row's thresholds and budgets. Nothing is timed.
Result<Json> evaluate_run(const Workshop& workshop, const Row& row, const DataSet& set,
                          const Recipe& recipe, const Progress& progress = {});

// The times of a run's model on the test texts, for run["timing"].
Result<Json> time_run(const Workshop& workshop, const Row& row, const DataSet& set,
                      const Recipe& recipe, const Progress& progress = {});

}  // namespace skim
