// The training loop: takes optimizer steps and keeps the model with the best dev score.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "skim/result.h"
#include "train/batch.h"
#include "train/corpus.h"
#include "train/nets/net.h"
#include "train/optimizer.h"
#include "train/options.h"
#include "train/process_group.h"
#include "train/training_state.h"
#include "train/word_embeddings.h"

namespace skim::train {

struct FitProgress {
  std::int64_t step = 0, steps = 0;  // steps: the end unless dev improves
  double loss = 0;                   // moving average over steps
  double skim_rate = 0;              // likewise, of the soft decisions
  double words_per_second = 0;
  double seconds = 0, seconds_left = 0;
  std::optional<Score> dev;  // only right after an evaluation
  bool best = false;
};

// One run. Not thread-safe.
class Fit {
 public:
  Fit(const ModelSpec& spec, const Vocabulary& vocabulary, const std::vector<Item>& train,
      const std::vector<Item>& dev, const FitOptions& options, ProcessGroup& group);

  // Replaces initial weights by these; ignores names that this model does not have. Before the
  // first step only.
  void init_weights(const std::map<std::string, std::vector<float>>& weights);

  // Takes one step; false when training has finished. Fails in all processes of the group when
  // training has diverged: the loss, a gradient or a weight is not finite. The state must not be
  // saved after that. All processes of the group must take it; throws PeerLost when one does not.
  Result<bool> step();
  // Asks the group to stop; after the next step stop_agreed() is true in all processes.
  void request_stop() { stop_ = true; }
  bool stop_requested() const { return stop_; }
  bool stop_agreed() const { return stop_agreed_; }
  std::int64_t steps_done() const { return step_; }
  const FitProgress& progress() const { return progress_; }
  const Snapshot& best() const { return best_; }
  // Evaluates a model with hard decisions; the processes of the group share the work.
  Score evaluate(const std::vector<Item>& items, const Snapshot& snapshot) const;
  // The current moving averages.
  Snapshot snapshot();

  // The complete state, for checkpoint.h.
  void save(TrainingState& state) const;
  Result<void> load(const TrainingState& state);

 private:
  struct Losses {
    torch::Tensor total;
    double mean = 0, skim_rate = 0;  // over all processes
  };
  // The texts of one step.
  struct StepData {
    std::vector<Item> crops;          // random crops; empty without --random-crop
    std::vector<std::size_t> chosen;  // indices of `crops`, or of all texts
    EmbeddingRows rows_used;          // by the words of all processes' texts
    SubwordDropout subword_dropout;
    std::int64_t rows = 0;   // words of all processes' texts
    std::int64_t steps = 0;  // reader steps of all processes
  };
  StepData next_step_data();
  const std::vector<Item>& items_for(const StepData& data) const {
    return options_.crop_size > 0 ? data.crops : train_;
  }
  Result<Losses> train_step(const StepData& data);
  Result<void> update_weights(const std::vector<float>& gradients, const EmbeddingRows& rows_used);
  void record_step(const Losses& losses, std::int64_t rows, double seconds);
  void estimate_time_left(double seconds);
  torch::Tensor loss_per_text(const NetOutput& out, const Batch& batch) const;
  Losses compute_losses(const Batch& batch, const NetOutput& out, const ReadMode& mode,
                        std::int64_t texts, std::int64_t steps, double weight);
  static void add_reinforce_loss(const ReadOutput& reading, const torch::Tensor& scores,
                                 const Batch& batch, double texts, Losses& losses);
  ReadMode read_mode_at(std::int64_t step) const;
  std::int64_t reader_steps(const Item& item) const;
  std::vector<Item> random_crops(const std::vector<std::size_t>& chosen) const;
  Result<void> evaluate_dev();
  std::int64_t eval_steps() const;
  // Whether every word is read, before skimming is learned.
  bool pretraining() const { return step_ < skim_start_step_; }
  Result<void> start_skimming();
  bool out_of_patience() const;
  bool finished() const;

  ModelSpec spec_;
  const std::vector<Item>& train_;
  const std::vector<Item>& dev_;
  FitOptions options_;
  ProcessGroup& group_;
  Weights weights_;
  std::shared_ptr<const SubwordIndex> subwords_;  // null without subwords
  WordEmbeddings embeddings_;
  Adam adam_;
  BatchSampler sampler_;
  std::int64_t step_ = 0;
  std::int64_t best_step_ = 0;
  std::int64_t skim_start_step_ = 0;  // first step that skims; kUnknownStep while unknown
  Snapshot best_;                     // during pretraining: the best dense model
  FitProgress progress_;
  bool stop_ = false, stop_agreed_ = false;
  std::int64_t text_passes_ = 0, question_passes_ = 0;
};

// The criterion of model selection: accuracy (see Score) plus 0.01 times the skim rate, so that of
// two equally accurate models the one that reads less wins.
double selection_score(const Score& score);

// The loss of each text against its target, [texts]: the cross-entropy of its label, choice or
// answer, the binary cross-entropy summed over labels, or the regression loss.
torch::Tensor hard_target_loss(const NetOutput& out, const Batch& batch, const FitOptions& options);

// Copies the values of a snapshot into `weights`.
void load_snapshot(const Snapshot& snapshot, Weights& weights);

// Runs the net on a batch with hard decisions and without gradients. `subwords` is null without
// subwords.
NetOutput forward_hard(const ModelSpec& spec, const Weights& weights, const Snapshot& snapshot,
                       const SubwordIndex* subwords, const Batch& batch, double threshold,
                       int threads = 1);

}  // namespace skim::train
