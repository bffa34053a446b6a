// The state of a training run as plain data. Includes no torch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace skim::train {

// Metrics of an evaluation on dev.
struct Score {
  // Of extractive nets: F1 over words. Of multi-label nets: micro F1 with the best thresholds. Of
  // regression nets: the coefficient of determination, 1 less squared error over variance.
  double accuracy = 0;
  double loss = 0;
  double skim_rate = 0;
};

// The weights of a model: their moving averages, embeddings included.
struct Snapshot {
  std::map<std::string, std::vector<float>> weights;
  std::vector<float> embeddings;
  std::vector<float> subwords;  // vectors of n-grams, if any
  // Whether the embeddings contain those of their words' n-grams, as in a model file.
  bool folded = false;
  Score score;
  std::int64_t step = 0;
};

// The complete state of a run, for checkpoints.
struct TrainingState {
  std::int64_t step = 0, skim_start_step = 0;
  double loss = 0, skim_rate = 0, seconds = 0;
  std::map<std::string, std::vector<float>> arrays;
  std::vector<std::int32_t> ema_steps, subword_ema_steps;
  Snapshot best;
};

}  // namespace skim::train
