// Adam with gradient clipping and an exponential moving average (EMA) of the weights, for the
// tensors of a net and, sparsely, for embeddings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "train/corpus.h"
#include "train/options.h"
#include "train/training_state.h"
#include "train/weights.h"

namespace skim::train {

// Moments and EMA of one array, with PyTorch's names. `ema` is empty without an EMA.
struct AdamState {
  std::vector<float> exp_avg, exp_avg_sq, ema;
};

// Adam's state in a checkpoint, under `name`. `restore` returns false when it does not fit.
void store(const std::string& name, const AdamState& state, TrainingState& into);
bool restore(const std::string& name, const TrainingState& from, AdamState& state);
bool restore(const std::string& name, const TrainingState& from, std::vector<float>& values);

// Sorted ids without duplicates.
std::vector<std::int32_t> unique_ids(std::vector<std::int32_t> ids);

// The initial rows of an embedding table, [rows, size].
struct InitialRows {
  std::vector<float> values;
  std::int64_t embedding_size = 0;
  std::vector<float> lr_scales;  // of each row; 0 freezes it
};

// A table of embeddings with a sparse Adam: moments of a row change only in steps that use the row.
// Its EMA catches up by as many steps as it missed, which is exact, because the row did not change
// in between.
class EmbeddingTable {
 public:
  EmbeddingTable(InitialRows rows, const AdamOptions& options);

  std::int64_t embedding_size() const { return embedding_size_; }
  std::size_t size() const { return lr_scales_.size(); }
  bool trainable() const { return trainable_; }
  // The embeddings of these words, [ids, size].
  torch::Tensor rows(const std::vector<std::int32_t>& words) const;
  void update(const std::vector<std::int32_t>& words, const float* gradients, std::int64_t step,
              double scale);
  // Whether the embeddings of these words and their second moments are finite.
  bool is_finite(const std::vector<std::int32_t>& words) const;
  // Brings the EMA of all rows to `step`.
  void update_all_ema(std::int64_t step);
  // Restarts the EMA from the current values.
  void reset_ema(std::int64_t step);
  // The EMA, or the values without one.
  const std::vector<float>& ema_values() const;

  // The state that a checkpoint stores, under `name`. `load` returns false when it does not fit.
  void save(const std::string& name, TrainingState& into) const;
  bool load(const std::string& name, const TrainingState& from);
  std::vector<float> values;
  AdamState state;
  std::vector<std::int32_t> ema_steps;  // the step to which the EMA of each row is up to date

 private:
  AdamOptions options_;
  std::int64_t embedding_size_;
  std::vector<float> lr_scales_;
  std::vector<double> ema_decays_;  // of the steps so far
  bool trainable_ = false;
  void update_ema(std::size_t word, std::int64_t step);
};

class Adam {
 public:
  Adam(Weights& weights, const AdamOptions& options);

  // Appends the gradients of all weights, in the order of names(), after `backward`.
  void collect_gradients(std::vector<float>& gradients) const;
  std::size_t size() const { return size_; }
  void update(const float* gradients, std::int64_t step, double scale);
  // Whether all weights, their second moments and their EMA are finite.
  bool is_finite() const;
  // Restarts the EMA from the current weights.
  void reset_ema();
  void copy_ema_to(std::map<std::string, std::vector<float>>& into) const;

  std::vector<AdamState> states;  // one per tensor, in the order of names()

 private:
  Weights& weights_;
  AdamOptions options_;
  std::size_t size_ = 0;
};

// The global norm of the gradients: finite exactly when all of them are.
double gradient_norm(const std::vector<float>& gradients);
// The factor that limits a norm of the gradients to `clip`; 1 when `clip` is 0.
double clip_scale(double norm, double clip);

}  // namespace skim::train
