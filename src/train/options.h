// What can be chosen about a training. Plain data, without torch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"

namespace skim::train {

// none: choices are made as readers make them and do not learn; only what is done with them does.
enum class Estimator { gumbel, straight_through, reinforce, none };

struct Dropout {
  double words = 0;     // of whole words: they count as unknown, none grows for it
  double input = 0.3;   // of word vectors, before readers and decisions
  double output = 0.3;  // of the pooled row, before the head
};

struct AdamOptions {
  double rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double clip = 5;         // largest norm of all gradients together; 0 for no limit
  double average = 0.999;  // decay of the running average of the weights; 0 for none
  double word_rate = 0.2;  // of vectors from a file, as a share of `rate`; 0 keeps them fixed
};

struct FitOptions {
  std::uint64_t seed = 1;
  int threads = 1;
  std::size_t batch = 32;
  std::int64_t max_steps = 0;          // 0: until patience runs out
  std::int64_t patience_steps = 3000;  // without a better dev score
  std::int64_t eval_steps = 0;         // between two looks at dev; 0: an epoch, 50 to 1000 steps
  std::int64_t pretrain_steps = 0;     // of reading everything, before skimming begins
  bool pretrain_fully = false;         // instead: until dev gets no better; then from the best on
  double gamma = 0.01;                 // weight of the skim term
  std::optional<double> target_rate;   // instead of gamma: the share of words to skim
  double read_bias = 1;                // of the decision, at the start
  std::size_t memory = 0;              // words that an LSTM can remember from the start; 0: few
  std::size_t crop = 0;                // words a step takes of a longer text, from anywhere; 0: all
  double adversarial = 0;              // how far a text's words are moved against the model, too
  double teacher_weight = 0.5;         // of what a teacher says, against the labels
  double teacher_softness = 1;         // the temperature at which it is listened to
  double temperature_floor = 0.5, temperature_fall = 1e-4;
  Estimator estimator = Estimator::gumbel;
  JumpSpec jump;  // how a jump reader moves in training; the spec says how when it is used
  Dropout dropout;
  AdamOptions adam;
};

// What other models hold of each text: a probability for each of the learner's labels, or for each
// choice; where answers are pieces of texts, that each word is the first, then that each is the
// last.
using Opinions = std::vector<std::vector<float>>;
using Teacher = std::function<Result<Opinions>(const Dataset& texts, const ModelSpec& learner)>;

// One training from files to a model.
struct Job {
  std::vector<std::string> train;  // one or more, taken together
  std::string dev, vectors;        // may be empty
  std::string start_from;          // a model to begin with; may be empty
  Teacher teacher;                 // may be empty
  std::size_t teacher_pieces = 0;  // of each text, for the teacher to label
  std::string checkpoint;          // a folder
  std::string log;                 // may be empty
  bool resume = false;
  int threads = 0;             // 0: one a core
  double group_seconds = 300;  // how long another process may stay silent before it is lost
  double checkpoint_seconds = 60;
  std::size_t most_texts = 0;    // to learn from, evenly spread over what there is; 0: all
  std::size_t most_words = 400;  // of each training text
  std::size_t vocabulary = 60'000;
  std::size_t fewest = 2;
  std::size_t tuned_from = 1;  // how often a word must occur for its vector to be tuned
  bool by_sentences = false;   // a jump reader counts those, not words
  // Labels, vocabulary, with vectors word_width, and with by_sentences their ends are filled in.
  ModelSpec spec;
  FitOptions fit;
};

}  // namespace skim::train
