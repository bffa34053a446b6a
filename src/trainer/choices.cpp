#include "trainer/choices.h"

#include <algorithm>

#include "spec/names.h"

namespace skim::cli {

void declare(Options& options, Choices& chosen) {
  train::Job& job = chosen.job;
  train::FitOptions& fit = job.fit;
  options.add("--train", job.train, "FILE",
              "labelled text to learn from; may be given several times");
  options.add("--dev", job.dev, "FILE", "labelled text to choose the best model by");
  options.add("--test", chosen.test, "FILE", "labelled text to report on, read once at the end");
  options.add("--out", chosen.out, "FILE", "the model to write");
  options.add_choice("--task", chosen.task, {"classify", "cloze", "span", "bidaf"},
                     "what is learned: a label, which choice fills a gap, or which piece of the "
                     "text answers a question");
  options.add_choice("--reader", chosen.reader, {"skim", "full", "jump", "skip", "vary"},
                     "how words are chosen: docs/training.md compares them");
  options.add_choice("--cell", chosen.cell, {"lstm", "gru", "rnn"}, "the recurrent cell");
  options.add("--hidden", job.spec.reader.hidden, "D", "size of the state (default 100)");
  options.add("--small", chosen.small, "D,D,...",
              "sizes of the smaller cells, falling; 0 skips (default 10)");
  options.add_choice("--small-sees", chosen.small_sees, {"head", "all"},
                     "what a small cell sees of the state");
  options.add_choice("--decision", chosen.decision, {"linear", "linear_cell", "dot"},
                     "what the choice to skim is computed from");
  options.add("--jump", chosen.jump, "R,K,N",
              "of a jump reader: words read before each jump, longest jump, most jumps (default "
              "20,40,5)");
  options.add_choice("--jump-over", chosen.jump_over, {"words", "sentences"},
                     "what R and K count; over sentences 1,5,5 suits most texts");
  options.add("--jump-in-training", chosen.jump_in_training, "R,N",
              "words before each jump and most jumps while it learns (default: as --jump)");
  options.add("--layers", job.spec.layers, "N", "readers on top of each other (default 1)");
  options.add_flag("--bidirectional", job.spec.bidirectional, "read backwards, too");
  options.add_choice("--pooling", chosen.pooling, {"last", "max", "mean", "attention"},
                     "how a text's rows become one");
  options.add_choice("--tokenizer", chosen.tokenizer, {"english", "whitespace"},
                     "how text becomes words");
  options.add("--vectors", job.vectors, "FILE", "word vectors: GloVe, word2vec or fastText text");
  options.add("--start-from", job.start_from, "FILE",
              "begin with what this model has learned, as far as it fits");
  options.add("--teacher", chosen.teachers, "FILE",
              "a model whose answers are learned from beside the labels; of several, their mean");
  options.add("--teacher-weight", fit.teacher_weight, "X",
              "how much they count against the labels (default 0.5)");
  options.add("--teacher-softness", fit.teacher_softness, "X",
              "above 1, a teacher's doubts count for more (default 1)");
  options.add("--teacher-pieces", chosen.teacher_pieces, "N",
              "learn from N pieces of each text, too, which the teacher labels (default 0)");
  options.add("--word-width", job.spec.word_width, "N",
              "size of word vectors without --vectors (default 100)");
  options.add_choice("--words", chosen.words, {"tuned", "fixed"},
                     "whether vectors from the file are trained on");
  options.add("--word-rate", chosen.word_rate, "X",
              "their share of the learning rate when tuned (default 0.2)");
  options.add("--vocabulary", chosen.vocabulary, "N", "most words kept (default 60000)");
  options.add("--min-count", chosen.fewest, "N",
              "how often a word without a vector must occur (default 2)");
  options.add("--tuned-from", chosen.tuned_from, "N",
              "how often a word must occur for its vector to be tuned (default 1)");
  options.add("--train-limit", chosen.most_texts, "N",
              "learn from N texts, evenly spread (default 0: all)");
  options.add("--max-words", chosen.most_words, "N", "of each training text (default 400)");
  options.add_flag("--crops", chosen.crops,
                   "of longer ones another stretch each time, not the beginning");
  options.add("--gamma", fit.gamma, "X", "weight of the skim term (default 0.01)");
  options.add("--target-rate", chosen.target_rate, "R",
              "the share of words to skim, instead of --gamma");
  options.add_choice("--estimator", chosen.estimator,
                     {"gumbel", "straight-through", "reinforce", "none"},
                     "how decisions learn; none keeps those of --start-from");
  options.add("--temperature-fall", fit.temperature_fall, "X",
              "how fast mixing levels turns into choosing one: at step n the temperature is "
              "exp(-X n), at least 0.5 (default 0.0001)");
  options.add("--read-bias", fit.read_bias, "X",
              "how much the decision leans to reading at first (default 1)");
  options.add("--memory", chosen.memory, "WORDS",
              "how far back an LSTM can remember from the start, for long texts whose beginning "
              "counts (default 0: a few words)");
  options.add_flag("--pretrain-fully", fit.pretrain_fully,
                   "read everything until dev gets no better, then learn to skim from there");
  options.add("--pretrain-steps", chosen.pretrain, "N",
              "steps of reading everything first (default 0)");
  options.add("--batch", chosen.batch, "N", "texts a step (default 32)");
  options.add("--learning-rate", fit.adam.rate, "X", "of Adam (default 0.001)");
  options.add("--clip", fit.adam.clip, "X", "largest norm of the gradients (default 5)");
  options.add("--average", fit.adam.average, "X",
              "decay of the running average of weights; 0 for none (default 0.999)");
  options.add("--word-dropout", fit.dropout.words, "X",
              "of whole words, which then count as unknown (default 0)");
  options.add("--input-dropout", fit.dropout.input, "X", "of word vectors (default 0.3)");
  options.add("--dropout", fit.dropout.output, "X", "before the last layer (default 0.3)");
  options.add("--adversarial", fit.adversarial, "X",
              "learn each text a second time with its word vectors moved this far to where the "
              "model errs more (default 0: not)");
  options.add("--max-steps", chosen.max_steps, "N", "(default 0: until patience runs out)");
  options.add("--patience-steps", chosen.patience, "N",
              "steps without a better dev score (default 3000)");
  options.add("--eval-steps", chosen.eval_steps, "N",
              "steps between two looks at dev (default 0: about an epoch)");
  options.add("--checkpoint", job.checkpoint, "DIR",
              "where training is put aside (default: FILE.checkpoint of --out)");
  options.add("--checkpoint-seconds", job.checkpoint_seconds, "S", "how often (default 60)");
  options.add("--group-timeout", job.group_seconds, "S",
              "with several processes: when a silent one counts as lost (default 300)");
  options.add_flag("--resume", job.resume, "go on from the checkpoint");
  options.add("--seed", chosen.seed, "N", "of everything random (default 1)");
  options.add("--threads", job.threads, "N", "(default 0: one a core)");
  options.add("--log", job.log, "FILE", "one JSON object a look at dev");
  options.add_flag("--json", chosen.json, "the result as JSON");
  options.add_flag("--quiet", chosen.quiet, "no progress");
  options.add_exclusive({"--gamma", "--target-rate"});
  options.add_exclusive({"--pretrain-steps", "--pretrain-fully"});
  options.add_example(
      "skim train --train train.tsv --dev dev.tsv --vectors glove.txt --out m.skim");
  options.add_example("skim train --train train.tsv --out m.skim --target-rate 0.8 --resume");
}

namespace {

template <class E>
E enum_of(const std::string& name) {
  return *value_named<E>(name, "option");
}

}  // namespace

std::optional<std::string> settle(Choices& chosen) {
  train::Job& job = chosen.job;
  if (job.train.empty()) return "--train is missing: the file to learn from";
  if (chosen.out.empty()) return "--out is missing: the model to write";
  if (!chosen.test.empty() && !std::filesystem::exists(chosen.test))
    return "--test: there is no file " + chosen.test;
  if (!(job.group_seconds > 0)) return "--group-timeout must be above 0";
  if (chosen.batch < 1) return "--batch must be at least 1";
  if (chosen.most_words < 1) return "--max-words must be at least 1";
  if (chosen.most_texts < 0) return "--train-limit must not be negative";
  job.most_texts = static_cast<std::size_t>(chosen.most_texts);
  if (chosen.vocabulary < 2) return "--vocabulary must be at least 2";
  if (chosen.patience < 1) return "--patience-steps must be at least 1";
  if (chosen.max_steps < 0 || chosen.eval_steps < 0 || chosen.pretrain < 0)
    return "numbers of steps cannot be negative";
  if (chosen.target_rate && (*chosen.target_rate < 0 || *chosen.target_rate > 1))
    return "--target-rate must be from 0 to 1";
  train::FitOptions& fit = job.fit;
  for (const double rate : {fit.dropout.words, fit.dropout.input, fit.dropout.output})
    if (!(rate >= 0 && rate < 1)) return "dropout must be at least 0 and below 1";
  if (!(fit.teacher_weight >= 0 && fit.teacher_weight <= 1))
    return "--teacher-weight must be from 0 to 1";
  if (!(fit.adversarial >= 0)) return "--adversarial must not be negative";
  if (!(fit.temperature_fall >= 0)) return "--temperature-fall must not be negative";
  if (!(fit.teacher_softness > 0)) return "--teacher-softness must be above 0";
  if (chosen.teacher_pieces < 0) return "--teacher-pieces must not be negative";
  if (chosen.teacher_pieces > 0 && chosen.teachers.empty())
    return "--teacher-pieces needs a --teacher";
  job.teacher_pieces = static_cast<std::size_t>(chosen.teacher_pieces);
  if (chosen.estimator == "none" && (chosen.reader != "skim" || job.start_from.empty()))
    return "--estimator none needs --start-from, a model that skims, and --reader skim";
  if (!(fit.adam.rate > 0)) return "--learning-rate must be above 0";
  if (!(fit.adam.average >= 0 && fit.adam.average < 1))
    return "--average must be at least 0 and below 1";
  if (chosen.memory < 0) return "--memory must not be negative";
  if (chosen.memory > 0 && chosen.cell != "lstm") return "--memory is for --cell lstm";
  fit.memory = static_cast<std::size_t>(chosen.memory);
  fit.seed = chosen.seed;
  fit.batch = static_cast<std::size_t>(chosen.batch);
  fit.max_steps = chosen.max_steps;
  fit.patience_steps = chosen.patience;
  fit.eval_steps = chosen.eval_steps;
  fit.pretrain_steps = chosen.pretrain;
  if (chosen.max_steps > 0 && chosen.pretrain >= chosen.max_steps && chosen.reader != "full")
    return "--pretrain-steps must be fewer than --max-steps, or skimming is never learned";
  if (fit.pretrain_fully && chosen.reader == "full")
    return "--pretrain-fully: a full reader reads everything anyway";
  fit.target_rate = chosen.target_rate;
  fit.adam.word_rate = chosen.words == "fixed" ? 0 : chosen.word_rate;
  fit.estimator = chosen.estimator == "gumbel"             ? train::Estimator::gumbel
                  : chosen.estimator == "straight-through" ? train::Estimator::straight_through
                  : chosen.estimator == "none"             ? train::Estimator::none
                                                           : train::Estimator::reinforce;
  job.most_words = static_cast<std::size_t>(chosen.most_words);
  fit.crop = chosen.crops ? job.most_words : 0;
  job.vocabulary = static_cast<std::size_t>(chosen.vocabulary);
  if (chosen.tuned_from < 1) return "--tuned-from must be at least 1";
  job.tuned_from = static_cast<std::size_t>(chosen.tuned_from);
  job.fewest = static_cast<std::size_t>(std::max(1, chosen.fewest));
  if (job.checkpoint.empty()) job.checkpoint = chosen.out + ".checkpoint";
  job.spec.net = chosen.task == "classify" ? NetKind::classifier : enum_of<NetKind>(chosen.task);
  if (job.spec.net != NetKind::classifier) {
    if (chosen.crops) return "--crops would cut answers away; it is for --task classify";
    if (fit.adversarial > 0) return "--adversarial is for --task classify";
    if (chosen.teacher_pieces > 0) return "--teacher-pieces is for --task classify";
    if (chosen.pooling != "last") return "--pooling is for --task classify";
    if (job.spec.finds_pieces() && chosen.reader == "jump")
      return "--reader jump has no state after words it jumps over, which --task span and bidaf "
             "need";
    if (job.spec.net == NetKind::bidaf && fit.estimator == train::Estimator::reinforce)
      return "--estimator reinforce is not for --task bidaf";
  }
  ReaderSpec& reader = job.spec.reader;
  reader.kind = enum_of<ReaderKind>(chosen.reader);
  reader.cell = enum_of<Cell>(chosen.cell);
  reader.small = reader.kind == ReaderKind::skim ? chosen.small : std::vector<int>{};
  if (chosen.jump.size() != 3) return "--jump needs three numbers: R,K,N";
  reader.jump = {chosen.jump[0], chosen.jump[1], chosen.jump[2]};
  fit.jump = reader.jump;
  job.by_sentences = chosen.jump_over == "sentences";
  if (job.by_sentences && reader.kind != ReaderKind::jump)
    return "--jump-over is for --reader jump";
  if (job.by_sentences && (job.spec.layers > 1 || job.spec.bidirectional))
    return "--jump-over sentences is for one layer in one direction";
  if (!chosen.jump_in_training.empty()) {
    if (chosen.jump_in_training.size() != 2 || chosen.jump_in_training[0] < 1 ||
        chosen.jump_in_training[1] < 0)
      return "--jump-in-training needs two numbers: R,N";
    fit.jump.run = chosen.jump_in_training[0];
    fit.jump.most = chosen.jump_in_training[1];
  }
  if (reader.kind == ReaderKind::jump && chosen.target_rate)
    return "--target-rate: a jump reader learns by reward alone, it cannot aim at a rate";
  reader.small_sees = enum_of<SmallSees>(chosen.small_sees);
  reader.decision = enum_of<Decision>(chosen.decision);
  job.spec.pooling = enum_of<Pooling>(chosen.pooling);
  job.spec.tokenizer = enum_of<Tokenizer>(chosen.tokenizer);
  return std::nullopt;
}

}  // namespace skim::cli
