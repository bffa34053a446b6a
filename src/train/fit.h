// The training loop: batches in, the best model by dev score out.
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
#include "train/distribute.h"
#include "train/nets/net.h"
#include "train/optimizer.h"
#include "train/options.h"

namespace skim::train {

struct Score {
  double accuracy = 0;  // of pieces of texts: how much of the words is right (F1)
  double loss = 0;
  double skim_rate = 0;
};

struct FitProgress {
  std::int64_t step = 0, steps = 0;  // steps: when training would end now
  double loss = 0;                   // running average over steps
  double skim_rate = 0;              // likewise, as trained: soft
  double words_a_second = 0;
  double seconds = 0, seconds_left = 0;
  std::optional<Score> dev;  // only when it was just measured
  bool best = false;
};

// A finished or interrupted model: weights as they are averaged, words included.
struct Snapshot {
  std::map<std::string, std::vector<float>> weights;
  std::vector<float> words;
  Score score;
  std::int64_t step = 0;
};

class Fit {
 public:
  Fit(const ModelSpec& spec, const Vocabulary& vocabulary, const std::vector<Item>& train,
      const std::vector<Item>& dev, const FitOptions& options, Group& group);

  // Takes these weights in place of random ones; names that this model does not have are none of
  // its business. Before the first step only.
  void begin_with(const std::map<std::string, std::vector<float>>& weights);

  // One step; false when training is over. All processes of the group must take it; throws
  // GroupLost when one does not.
  bool step();
  // Tells the group that this process was asked to stop; after the next step all know.
  void ask_to_stop() { stop_ = true; }
  bool stop_asked() const { return stop_; }
  bool stop_agreed() const { return stop_agreed_; }
  std::int64_t steps_done() const { return step_; }
  const FitProgress& progress() const { return progress_; }
  const Snapshot& best() const { return best_; }
  // A model measured on `items` under the hard rule, each process of the group taking its part.
  Score evaluate(const std::vector<Item>& items, const Snapshot& snapshot) const;
  Snapshot snapshot();

  // All state, for checkpoints; see checkpoint.h.
  struct State;
  void save(State& state) const;
  Result<void> load(const State& state);

 private:
  struct Losses {
    torch::Tensor total;
    double shown = 0, skimmed = 0;
  };
  // What one step learns from.
  struct Portion {
    std::vector<Item> stretches;      // of longer texts, or empty when they are taken whole
    std::vector<std::size_t> chosen;  // which of the stretches, or of all texts
    std::vector<std::int32_t> words;  // each once
    std::int64_t rows = 0;            // words of all texts
    std::int64_t steps = 0;           // times the readers that go over them
  };
  Portion portion_of_step();
  const std::vector<Item>& items_of(const Portion& portion) const {
    return options_.crop > 0 ? portion.stretches : train_;
  }
  Losses learn_from(const Portion& portion);
  void gather_words(const torch::Tensor& gradient, const std::vector<std::int32_t>& rows,
                    const std::vector<std::int32_t>& distinct, std::vector<float>& gradients) const;
  void note_step(const Losses& losses, std::int64_t rows, double seconds);
  void note_time(double seconds);
  torch::Tensor loss_of_texts(const NetOutput& out, const Batch& batch) const;
  Losses losses_of(const Batch& batch, const NetOutput& out, const ReadMode& mode,
                   std::int64_t texts, std::int64_t steps, double weight);
  static void add_reward(const ReadOutput& reading, const torch::Tensor& scores, const Batch& batch,
                         double texts, Losses& losses);
  ReadMode mode_at(std::int64_t step) const;
  std::int64_t steps_of(const Item& item) const;
  std::vector<Item> stretches_of(const std::vector<std::size_t>& chosen) const;
  void look_at_dev();
  std::int64_t eval_steps() const;
  // Whether everything is still read, because skimming is learned later.
  bool pretraining() const { return step_ < skims_from_; }
  void begin_skimming();
  bool patience_over() const;
  bool over() const;

  ModelSpec spec_;
  const std::vector<Item>& train_;
  const std::vector<Item>& dev_;
  FitOptions options_;
  Group& group_;
  Weights weights_;
  WordTable words_;
  Adam adam_;
  Schedule schedule_;
  std::int64_t step_ = 0;
  std::int64_t best_step_ = 0;
  std::int64_t skims_from_ = 0;  // the step; far away as long as it is not known
  Snapshot best_;                // while everything is read: the best at that
  FitProgress progress_;
  bool stop_ = false, stop_agreed_ = false;
  std::int64_t text_passes_ = 0, question_passes_ = 0;
};

struct Fit::State {
  std::int64_t step = 0, skims_from = 0;
  double loss = 0, skim_rate = 0, seconds = 0;
  std::map<std::string, std::vector<float>> arrays;
  std::vector<std::int32_t> touched;
  Snapshot best;
};

// How good a score is: accuracy, and a tenth of a point for ten points of skimming, so that of two
// equally good models the one that reads less wins.
double worth(const Score& score);

// How far the scores are from the right answers, of each text.
torch::Tensor strict_loss(const NetOutput& out, const Batch& batch);

// Weights with the values of a snapshot.
void put(const Snapshot& snapshot, Weights& weights);

// Scores and readings of one batch with a snapshot's weights under the hard rule; no gradients.
NetOutput read_hard(const ModelSpec& spec, const Weights& weights, const std::vector<float>& words,
                    const Batch& batch, double threshold, int threads = 1);

}  // namespace skim::train
