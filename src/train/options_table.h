// The table of training options. Each option is declared here once; parsing, range errors, help
// and what a checkpoint stores and compares derive from it. Knows neither the command line nor
// torch.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "spec/names.h"
#include "train/options.h"

namespace skim::train {

// The numbers that an option accepts.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool exclude_min = false, exclude_max = false;

  // False for NaN and infinity, also without limits.
  bool contains(double value) const;
  // "at least 1", "above 0", "from 0 to 1", "at least 0 and below 1"; empty without limits.
  std::string text() const;
};

constexpr Range at_least(double min) { return {.min = min}; }
constexpr Range from_to(double min, double max) { return {.min = min, .max = max}; }
constexpr Range above(double min) { return {.min = min, .exclude_min = true}; }
inline constexpr Range kDuration = {.min = 0, .max = 604'800, .exclude_min = true};  // a week
inline constexpr Range kFraction = {.min = 0, .max = 1};
inline constexpr Range kBelowOne = {.min = 0, .max = 1, .exclude_max = true};

// What --resume does with an option.
enum class OnResume {
  must_match,     // stored in the checkpoint and compared
  may_change,     // stored, but a resumed run may have another value
  ends_training,  // likewise, except with --pretrain-fully, where the end of pretraining depends on
                  // it
  not_stored,     // has no influence on the model, or the stored spec and checksums cover it
};

struct OptionInfo {
  std::string_view name;     // "--batch-size"
  std::string_view metavar;  // "N"; empty for flags and for enums, whose values are listed
  std::string_view help;     // without the default, which is the value of the field
  Range range = {};
  OnResume on_resume = OnResume::must_match;
};

// The key of an option in a checkpoint: "batch_size" for --batch-size.
std::string checkpoint_key(const OptionInfo& option);

// The values of an enum as the options spell them.
template <class E>
inline constexpr auto kOptionValues = kNames<E>;
template <>
inline constexpr std::array kOptionValues<Task> = {
    std::pair{Task::classify, std::string_view("classify")},
    std::pair{Task::multilabel, std::string_view("multilabel")},
    std::pair{Task::regress, std::string_view("regress")},
    std::pair{Task::cloze, std::string_view("cloze")},
    std::pair{Task::span, std::string_view("span")},
    std::pair{Task::bidaf, std::string_view("bidaf")},
};
template <>
inline constexpr std::array kOptionValues<RegressionLoss> = {
    std::pair{RegressionLoss::mse, std::string_view("mse")},
    std::pair{RegressionLoss::huber, std::string_view("huber")},
};
template <>
inline constexpr std::array kOptionValues<Estimator> = {
    std::pair{Estimator::gumbel, std::string_view("gumbel")},
    std::pair{Estimator::straight_through, std::string_view("straight-through")},
    std::pair{Estimator::reinforce, std::string_view("reinforce")},
    std::pair{Estimator::none, std::string_view("none")},
};
template <>
inline constexpr std::array kOptionValues<JumpUnit> = {
    std::pair{JumpUnit::words, std::string_view("words")},
    std::pair{JumpUnit::sentences, std::string_view("sentences")},
};

template <>
inline constexpr std::array kOptionValues<TokenizerOption> = {
    std::pair{TokenizerOption::automatic, std::string_view("auto")},
    std::pair{TokenizerOption::english, std::string_view("english")},
    std::pair{TokenizerOption::unicode, std::string_view("unicode")},
    std::pair{TokenizerOption::whitespace, std::string_view("whitespace")},
};

template <class E>
constexpr std::string_view option_value_name(E value) {
  for (const auto& [each, name] : kOptionValues<E>) {
    if (each == value) return name;
  }
  return {};
}

// Each function below calls visit(OptionInfo, field) for a part of the options. `AnyJob` is Job or
// const Job. A field is a bool (a flag), a std::string, an integer, a double, an enum, a
// std::optional<double>, a std::vector<int> or a std::vector<std::string>.

template <class AnyJob, class Visitor>
void visit_file_options(AnyJob& job, Visitor&& visit) {
  constexpr auto kNotStored = OnResume::not_stored;
  visit(
      {"--train", "FILE", "labelled text to train on; may be given several times", {}, kNotStored},
      job.train);
  visit({"--dev", "FILE", "labelled text to select the best model on", {}, kNotStored}, job.dev);
  visit({"--embeddings",
         "FILE",
         "pretrained embeddings: none, those of the built-in model (default), or of a FILE: GloVe, "
         "word2vec or fastText text, or a model; auto takes the built-in model for English",
         {},
         kNotStored},
        job.embeddings);
  visit({"--start-from",
         "FILE",
         "initialize from this model, as far as its tensors fit",
         {},
         kNotStored},
        job.start_from);
  visit({"--checkpoint",
         "DIR",
         "folder of the checkpoint (default: FILE.checkpoint of --out)",
         {},
         kNotStored},
        job.checkpoint);
  visit({"--checkpoint-seconds", "S", "time between checkpoints", at_least(0), kNotStored},
        job.checkpoint_seconds);
  visit({"--resume", "", "continue from the checkpoint", {}, kNotStored}, job.resume);
  visit({"--log", "FILE", "write one JSON object per evaluation on dev", {}, kNotStored}, job.log);
  visit({"--threads", "N", "number of threads; 0 for one per core", from_to(0, 1024), kNotStored},
        job.threads);
  visit({"--group-timeout", "S",
         "with several processes: seconds after which a silent one counts as lost", kDuration,
         kNotStored},
        job.group_timeout);
}

template <class AnyJob, class Visitor>
void visit_model_options(AnyJob& job, Visitor&& visit) {
  // The checkpoint stores the whole spec.
  constexpr auto kInSpec = OnResume::not_stored;
  auto& spec = job.spec;
  auto& reader = spec.reader;
  visit({"--task",
         "",
         "what is learned: a label, any number of labels, a number, which choice fills a gap, or "
         "which span of the text answers a question",
         {},
         kInSpec},
        job.task);
  visit({"--reader", "", "the reading method: docs/training.md compares them", {}, kInSpec},
        reader.kind);
  visit({"--cell", "", "the recurrent cell", {}, kInSpec}, reader.cell);
  visit({"--hidden-size", "D", "hidden size of the big cell", {}, kInSpec}, reader.hidden_size);
  visit({"--skim-size",
         "D,D,...",
         "hidden sizes of the small cells, descending; 0 skips words",
         {},
         kInSpec},
        reader.skim_sizes);
  visit({"--small-input", "", "the part of the hidden state that a small cell sees", {}, kInSpec},
        reader.small_input);
  visit({"--decision", "", "what the decision to skim is computed from", {}, kInSpec},
        reader.decision);
  visit({"--num-layers", "N", "stacked recurrent layers", {}, kInSpec}, spec.num_layers);
  visit({"--bidirectional", "", "read backward, too", {}, kInSpec}, spec.bidirectional);
  visit({"--pooling", "", "how the hidden states of a text become one", {}, kInSpec}, spec.pooling);
  visit({"--tokenizer",
         "",
         "how text is split into words; auto chooses english or unicode by the training texts",
         {},
         kInSpec},
        job.tokenizer);
  visit({"--embedding-size", "N", "size of the embeddings without pretrained ones", {}, kInSpec},
        spec.embedding_size);
  visit({"--subwords",
         "MIN,MAX",
         "shortest and longest character n-gram for the embeddings of unknown words",
         {},
         kInSpec},
        job.subwords);
  visit({"--buckets", "N",
         "number of vectors of n-grams; 0 for no subwords (default: 20000 for --task classify, "
         "else 0)",
         at_least(0), kInSpec},
        job.buckets);
  visit({"--jump", "R,K,N",
         "lstm-jump: words read before each jump, longest jump, maximum number of jumps"},
        job.jump);
  visit({"--jump-over", "", "what R and K count; over sentences 1,5,5 suits most texts"},
        job.jump_over);
  visit({"--jump-in-training", "R,N",
         "words before each jump and maximum number of jumps in training (default: as --jump)"},
        job.jump_in_training);
}

template <class AnyJob, class Visitor>
void visit_data_options(AnyJob& job, Visitor&& visit) {
  visit({"--vocab-size", "N", "maximum number of words in the vocabulary", at_least(2)},
        job.vocab_size);
  visit({"--min-count", "N", "minimum count of a word without a pretrained embedding", at_least(0)},
        job.min_count);
  visit({"--trainable-min-count", "N", "minimum count of a word for its embedding to be trained",
         at_least(1)},
        job.trainable_min_count);
  visit({"--subword-dropout", "X",
         "a word that occurs N times is learned by its n-grams alone with probability X / (X + N)",
         at_least(0)},
        job.fit.dropout.subwords);
  visit({"--freeze-embeddings", "", "do not train the embeddings from the file"},
        job.freeze_embeddings);
  visit({"--embedding-lr-scale", "X", "learning rate of pretrained embeddings, relative",
         at_least(0)},
        job.fit.adam.embedding_lr_scale);
  // Stored only if given: equal trainings give equal files, whatever options there are.
  visit({"--class-weights",
         "balanced|A=X,B=Y,...",
         "weights of the labels in the loss; balanced weighs rare labels more",
         {},
         OnResume::not_stored},
        job.class_weights);
  visit({"--train-limit", "N", "train on N texts, evenly spread; 0 for all", at_least(0)},
        job.train_limit);
  visit({"--max-words", "N", "truncate training texts to N words", at_least(1)}, job.max_words);
  visit({"--random-crop", "", "crop longer texts at a random place in every step, not at the end"},
        job.random_crop);
}

template <class AnyJob, class Visitor>
void visit_distillation_options(AnyJob& job, Visitor&& visit) {
  visit(
      {"--teacher",
       "FILE",
       "a model to distill: its predictions are soft targets beside the labels; of several, their "
       "mean",
       {},
       OnResume::not_stored},
      job.teachers);
  visit({"--distillation-weight", "X", "weight of the soft targets against the labels", kFraction},
        job.fit.distillation_weight);
  visit({"--distillation-temperature", "X", "temperature of the soft targets", above(0)},
        job.fit.distillation_temperature);
  visit({"--distillation-crops", "N", "train on N crops of each text, too, labelled by the teacher",
         at_least(0)},
        job.distillation_crops);
}

template <class AnyJob, class Visitor>
void visit_skim_options(AnyJob& job, Visitor&& visit) {
  auto& fit = job.fit;
  visit({"--gamma", "X", "weight of the skim loss"}, fit.gamma);
  visit({"--target-rate", "R", "the share of words to skim, instead of --gamma", kFraction},
        fit.target_rate);
  visit({"--estimator", "", "how decisions learn; none freezes those of --start-from"},
        fit.estimator);
  visit({"--temperature-decay", "X",
         "Gumbel-softmax temperature at step n is exp(-X n), at least 0.5", at_least(0)},
        fit.temperature_decay);
  visit({"--read-bias-init", "X", "initial bias of the decision towards reading"},
        fit.read_bias_init);
  visit({"--pretrain-fully", "",
         "read every word until dev stops improving, then learn to skim from there"},
        fit.pretrain_fully);
  visit({"--pretrain-steps", "N", "steps of reading every word first", at_least(0)},
        fit.pretrain_steps);
}

template <class AnyJob, class Visitor>
void visit_optimizer_options(AnyJob& job, Visitor&& visit) {
  auto& fit = job.fit;
  visit(
      {"--chrono-init", "WORDS",
       "initialize the gates of an LSTM for memories of up to so many words, for long texts whose "
       "beginning counts; 0 for a forget bias of 1",
       at_least(0)},
      fit.chrono_init);
  // Stored with --task regress only.
  visit({"--loss", "", "the loss of --task regress", {}, OnResume::not_stored},
        fit.regression_loss);
  visit({"--batch-size", "N", "texts per step", at_least(1)}, fit.batch_size);
  visit({"--learning-rate", "X", "learning rate of Adam", above(0), OnResume::may_change},
        fit.adam.learning_rate);
  visit({"--clip", "X", "maximum norm of the gradients; 0 for no clipping", at_least(0)},
        fit.adam.clip);
  visit({"--ema-decay", "X", "decay of the moving average of the weights; 0 for none", kBelowOne},
        fit.adam.ema_decay);
  visit({"--word-dropout", "X", "dropout of whole words of the text", kBelowOne},
        fit.dropout.words);
  visit({"--input-dropout", "X", "dropout of embeddings", kBelowOne}, fit.dropout.input);
  visit({"--dropout", "X", "dropout before the last layer", kBelowOne}, fit.dropout.output);
  visit(
      {"--adversarial", "X",
       "norm of the adversarial perturbation with which each text is learned a second time; 0 for "
       "none",
       at_least(0)},
      fit.adversarial);
  visit({"--max-steps", "N", "end training after N steps; 0 for early stopping alone", at_least(0),
         OnResume::ends_training},
        fit.max_steps);
  visit({"--patience-steps", "N", "early stopping: steps without a better dev score", at_least(1),
         OnResume::ends_training},
        fit.patience_steps);
  visit(
      {"--eval-steps", "N", "steps between evaluations on dev; 0 for about an epoch", at_least(0)},
      fit.eval_steps);
  visit({"--seed", "N", "seed of all random numbers"}, fit.seed);
}

// All options, in the order of the help.
template <class AnyJob, class Visitor>
void visit_options(AnyJob& job, Visitor&& visit) {
  visit_file_options(job, visit);
  visit_model_options(job, visit);
  visit_data_options(job, visit);
  visit_distillation_options(job, visit);
  visit_skim_options(job, visit);
  visit_optimizer_options(job, visit);
}

}  // namespace skim::train
