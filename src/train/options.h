// Training options: plain data, without torch. options_table.h gives every option its name on the
// command line, its help, its range and its role in a checkpoint.
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

// The gradient estimator of the skimming decisions. none: decisions are frozen and made as at
// inference time; only the cells learn.
enum class Estimator { gumbel, straight_through, reinforce, none };

// What is learned.
enum class Task { classify, multilabel, regress, cloze, span, bidaf };

// The loss of regression, in standard deviations of the numbers.
enum class RegressionLoss {
  mse,    // squared error
  huber,  // squared within one standard deviation, linear beyond: outliers count less
};

// What an lstm-jump reader counts its runs and jumps in.
enum class JumpUnit { words, sentences };

// --tokenizer. automatic: the start model's, or one that fits the training texts.
enum class TokenizerOption { automatic, english, unicode, whitespace };

// Dropout rates.
struct Dropout {
  double words = 0;     // of whole words: their embeddings become zero, the others are not rescaled
  double input = 0.3;   // of embeddings, before readers and decisions
  double output = 0.3;  // of the pooled row, before the head
  double subwords = 1;  // of the own vectors of words with n-grams: SubwordDropout::rate
};

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double clip = 5;                  // maximum global norm of the gradients; 0 for no clipping
  double ema_decay = 0.999;         // of the exponential moving average of the weights; 0 for none
  double embedding_lr_scale = 0.2;  // of pretrained embeddings, times learning_rate; 0 freezes them
};

struct FitOptions {
  std::uint64_t seed = 1;
  int threads = 1;
  std::size_t batch_size = 32;
  std::int64_t max_steps = 0;          // 0: no limit but early stopping
  std::int64_t patience_steps = 3000;  // early stopping: steps without a better dev score
  std::int64_t eval_steps = 0;         // between evaluations on dev; 0: an epoch, 50 to 1000 steps
  std::int64_t pretrain_steps = 0;     // of reading every word, before skimming is learned
  bool pretrain_fully = false;         // instead: until dev stops improving; then from the best on
  double gamma = 0.01;                 // weight of the skim loss
  std::optional<double> target_rate;   // instead of gamma: the share of words to skim
  double read_bias_init = 1;           // initial bias of the decision towards reading
  std::size_t chrono_init = 0;         // longest memory of an LSTM at initialization, in words
  std::size_t crop_size = 0;           // words of a random crop of a longer text; 0: no cropping
  double adversarial = 0;              // norm of the adversarial perturbation of the embeddings
  double distillation_weight = 0.5;    // of the soft targets against the labels
  double distillation_temperature = 1;
  double min_temperature = 0.5, temperature_decay = 1e-4;  // of Gumbel-softmax
  Estimator estimator = Estimator::gumbel;
  RegressionLoss regression_loss = RegressionLoss::mse;
  std::vector<float> label_weights;  // of multi-label nets, of texts with the label; empty: 1
  JumpSpec jump;  // of an lstm-jump reader in training; the spec has that of inference
  Dropout dropout;
  AdamOptions adam;
};

// Per text, the probabilities that a teacher predicts: of each label of the student, or of each
// choice. For extractive nets: of each word as the answer's first, then of each as its last.
using SoftTargets = std::vector<std::vector<float>>;
using Teacher = std::function<Result<SoftTargets>(const Dataset& texts, const ModelSpec& student)>;

// One training run, from files to a model.
struct Job {
  std::vector<std::string> train;      // labelled files, concatenated
  std::string dev;                     // may be empty
  std::string embeddings = "auto";     // a file, or a keyword of pretrained.h
  std::string built_in_model;          // whose embeddings are the default; empty if not found
  std::string start_from;              // a model to initialize from; may be empty
  std::vector<std::string> teachers;   // model files
  Teacher teacher;                     // computes the mean soft targets of `teachers`; may be empty
  std::size_t distillation_crops = 0;  // crops of each text that only the teacher labels
  std::string out;                     // the model that the caller writes
  std::string checkpoint;              // a folder
  std::string log;                     // may be empty
  bool resume = false;
  int threads = 0;             // 0: one per core
  double group_timeout = 300;  // seconds without an answer after which a process counts as lost
  double checkpoint_seconds = 60;
  std::string class_weights;    // "balanced", a list of label=weight, or empty
  std::size_t train_limit = 0;  // texts to train on, evenly spread; 0: all
  std::size_t max_words = 400;  // of each training text
  bool random_crop = false;     // of longer texts another crop each time, not the beginning
  std::size_t vocab_size = 60'000;
  std::size_t min_count = 2;            // of a word without a pretrained embedding
  std::size_t trainable_min_count = 1;  // of a word whose embedding is trained
  bool freeze_embeddings = false;       // those from the file
  std::vector<int> subwords = {3, 6};   // shortest and longest n-gram
  std::optional<int> buckets;           // for vectors of n-grams; nothing: the default of the task
  std::vector<int> jump = {20, 40,
                           5};        // lstm-jump: tokens per jump, longest jump, maximum of jumps
  std::vector<int> jump_in_training;  // tokens per jump, maximum of jumps; empty: as `jump`
  JumpUnit jump_over = JumpUnit::words;
  TokenizerOption tokenizer = TokenizerOption::automatic;
  Task task = Task::classify;
  // The task decides on net and output. Loading the data fills in tokenizer, labels, vocab_size,
  // embedding_size and sentence_end_ids.
  ModelSpec spec;
  FitOptions fit;
};

}  // namespace skim::train
