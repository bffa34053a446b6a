// skim-train: `skim train` starts it. Options, messages and the closing proof; the training itself
// is src/train's.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "eval/calibrate.h"
#include "eval/evaluate.h"
#include "eval/report.h"
#include "eval/test_set.h"
#include "file/model_file.h"
#include "skim/verify.h"
#include "spec/names.h"
#include "tasks/load.h"
#include "train/job.h"
#include "trainer/compare.h"
#include "trainer/teacher.h"

namespace skim::cli {
namespace {

std::atomic<bool> stop_asked{false};
void ask_to_stop(int /*signal*/) { stop_asked = true; }

struct Choices {
  train::Job job;
  std::string out, test;
  std::string task = "classify", reader = "skim", cell = "lstm", pooling = "last",
              small_sees = "head", decision = "linear", tokenizer = "english", estimator = "gumbel",
              words = "tuned";
  std::vector<std::string> teachers;
  int teacher_pieces = 0;
  std::vector<int> small = {10}, jump = {20, 40, 5}, jump_in_training;
  std::optional<double> target_rate;
  double word_rate = 0.2;
  std::uint64_t seed = 1;
  int batch = 32, max_steps = 0, patience = 3000, eval_steps = 0, pretrain = 0, most_words = 400,
      vocabulary = 60'000, fewest = 2, tuned_from = 1, most_texts = 0;
  bool json = false, quiet = false, crops = false;
};

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
  options.add_choice("--estimator", chosen.estimator, {"gumbel", "straight-through", "reinforce"},
                     "how decisions learn");
  options.add("--read-bias", fit.read_bias, "X",
              "how much the decision leans to reading at first (default 1)");
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

template <class E>
E enum_of(const std::string& name) {
  return *value_named<E>(name, "option");
}

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
  if (!(fit.teacher_softness > 0)) return "--teacher-softness must be above 0";
  job.teacher = teacher_of(chosen.teachers);
  if (chosen.teacher_pieces < 0) return "--teacher-pieces must not be negative";
  if (chosen.teacher_pieces > 0 && !job.teacher) return "--teacher-pieces needs a --teacher";
  job.teacher_pieces = static_cast<std::size_t>(chosen.teacher_pieces);
  if (!(fit.adam.rate > 0)) return "--learning-rate must be above 0";
  if (!(fit.adam.average >= 0 && fit.adam.average < 1))
    return "--average must be at least 0 and below 1";
  fit.seed = chosen.seed;
  fit.batch = static_cast<std::size_t>(chosen.batch);
  fit.max_steps = chosen.max_steps;
  fit.patience_steps = chosen.patience;
  fit.eval_steps = chosen.eval_steps;
  fit.pretrain_steps = chosen.pretrain;
  if (fit.pretrain_fully && chosen.reader == "full")
    return "--pretrain-fully: a full reader reads everything anyway";
  fit.target_rate = chosen.target_rate;
  fit.adam.word_rate = chosen.words == "fixed" ? 0 : chosen.word_rate;
  fit.estimator = chosen.estimator == "gumbel"             ? train::Estimator::gumbel
                  : chosen.estimator == "straight-through" ? train::Estimator::straight_through
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
    if (!chosen.teachers.empty()) return "--teacher is for --task classify";
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

std::string format(const char* pattern, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// One line that is drawn over on a terminal, and a line a look at dev.
class Display {
 public:
  explicit Display(bool quiet) : quiet_(quiet), terminal_(is_terminal(STDERR_FILENO)) {}
  ~Display() { wipe(); }

  void show(const train::JobProgress& now) {
    if (quiet_) return;
    if (now.looked) {
      dev_ = format("dev %.1f%%, skimmed %.0f%%", 100 * now.dev_accuracy, 100 * now.dev_skim_rate);
      wipe();
      std::fprintf(stderr, "step %lld  loss %.3f  %s%s  %.0f words/s\n",
                   static_cast<long long>(now.step), now.loss, dev_.c_str(),
                   now.best ? "  best" : "", now.words_a_second);
    }
    if (!terminal_ || now.seconds - drawn_at_ < 0.2) return;
    drawn_at_ = now.seconds;
    const double share =
        now.steps > 0 ? static_cast<double>(now.step) / static_cast<double>(now.steps) : 0;
    std::string bar(20, '.');
    for (std::size_t i = 0; i < 20 && static_cast<double>(i) < 20 * share; ++i) bar[i] = '#';
    std::string line = format("[%s] step %lld  loss %.3f  %s  %.0f words/s  %.0f s left",
                              bar.c_str(), static_cast<long long>(now.step), now.loss, dev_.c_str(),
                              now.words_a_second, now.seconds_left);
    line.resize(std::min(line.size(), terminal_width(STDERR_FILENO) - 1));
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    drawn_ = true;
  }
  void say(const std::string& message) {
    if (quiet_) return;
    wipe();
    complain("train", message);
  }

 private:
  void wipe() {
    if (drawn_) std::fprintf(stderr, "\r\x1b[K");
    drawn_ = false;
  }
  bool quiet_, terminal_, drawn_ = false;
  double drawn_at_ = -1;
  std::string dev_ = "dev not yet seen";
};

// The runtime reads the draft and must answer as the trainer did; then it is calibrated.
Result<VerifyReport> prove(train::JobReport& report) {
  auto bytes = to_bytes(report.draft);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto model = Model::from_bytes(std::move(*bytes), "the trained model");
  if (!model) return tl::unexpected(model.error());
  const Result<VerifyReport> verified = verify(*model);
  if (!verified) return verified;
  if (!verified->ok())
    return fail(Fault::mismatch, "the runtime reads the model otherwise than the trainer: " +
                                     verified->messages.front());
  const ReaderKind kind = report.draft.spec.reader.kind;
  if (kind != ReaderKind::full && kind != ReaderKind::jump) {
    const auto calibration = calibrate(*model, report.dev, report.dev_name);
    if (!calibration) return tl::unexpected(calibration.error());
    report.draft.calibration = *calibration;
  }
  return verified;
}

// The one look at the test split, by the runtime, when the model is safe on disk.
Result<Report> look_at_test(const Choices& chosen) {
  const auto model = Model::load(chosen.out);
  if (!model) return tl::unexpected(model.error());
  Result<Dataset> data = load_examples(chosen.test);
  if (!data) return tl::unexpected(data.error());
  const Result<TestSet> set = make_test_set(std::move(*data), model->spec());
  if (!set) return tl::unexpected(set.error());
  EvaluateOptions options;
  options.timing.reset();
  return evaluate(*model, *set, options);
}

int finish(const Choices& chosen, train::JobReport& report, Display& display) {
  display.say("replaying probes and calibrating on dev");
  const Result<VerifyReport> verified = prove(report);
  if (!verified) return failed("train", verified.error());
  if (const auto written = write_model_file(report.draft, chosen.out); !written)
    return failed("train", written.error());
  std::error_code ignored;
  std::filesystem::remove(checkpoint_file(chosen.job), ignored);
  remove_abandoned_temporaries(chosen.job.checkpoint);
  std::filesystem::remove(chosen.job.checkpoint, ignored);  // only when nothing else is in it
  Json result = {{"model", chosen.out},
                 {"dev_accuracy", report.accuracy},
                 {"dev_skim_rate", report.skim_rate},
                 {"best_step", report.best_step},
                 {"steps", report.steps},
                 {"seconds", report.seconds},
                 {"probes", verified->probes},
                 {"worst_score_error", verified->worst_score_error}};
  std::string of_test;
  if (!chosen.test.empty()) {
    const Result<Report> test = look_at_test(chosen);
    if (!test) return failed("train", test.error());
    const Json marks = marks_json(test->marks);
    for (const auto& [name, value] : marks.items()) result["test_" + name] = value;
    result["test_skim_rate"] = test->skim_rate;
    of_test = format("test %s %.2f %%, skimmed %.1f %%\n", test->marks.chief_name(),
                     100 * test->marks.chief(), 100 * test->skim_rate);
  }
  if (chosen.json) return print(result.dump() + "\n");
  return print(
      format("%s: dev accuracy %.2f %%, skimmed %.1f %%, best at step %lld of %lld, %.0f s; "
             "%d probes replayed\n",
             chosen.out.c_str(), 100 * report.accuracy, 100 * report.skim_rate,
             static_cast<long long>(report.best_step), static_cast<long long>(report.steps),
             report.seconds, verified->probes) +
      of_test);
}

int run(Arguments arguments) {
  Choices chosen;
  Options options("train", "Learns a model from labelled text.",
                  "--train FILE --out FILE [options]");
  declare(options, chosen);
  if (const auto code = options.parse(arguments)) return *code;
  if (const auto wrong = settle(chosen)) return wrong_usage("train", *wrong);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  Display display(chosen.quiet);
  if (train::blas_name().empty())
    display.say(
        "matrix products go to a BLAS that is neither OpenBLAS nor BLIS, which may be many "
        "times slower; install libopenblas0-pthread");
  train::JobListener listener;
  listener.message = [&](const std::string& message) { display.say(message); };
  listener.progress = [&](const train::JobProgress& now) { display.show(now); };
  listener.stop = &stop_asked;
  Result<train::JobReport> report = train::run_job(chosen.job, listener);
  if (!report) return failed("train", report.error());
  if (!report->first) return report->finished ? kDone : kFailed;
  if (!report->finished) {
    display.say("stopped after step " + std::to_string(report->steps) +
                "; the same command with --resume goes on from there");
    return kFailed;
  }
  return finish(chosen, *report, display);
}

}  // namespace
}  // namespace skim::cli

int main(int count, char** values) {
  try {
    const skim::cli::Arguments arguments(values + 1, static_cast<std::size_t>(count - 1));
    if (!arguments.empty() && arguments.front() == std::string_view("compare"))
      return skim::cli::compare(arguments.subspan(1));
    return skim::cli::run(arguments);
  } catch (const std::exception& error) {
    skim::cli::complain("train", error.what());
    return skim::cli::kFailed;
  }
}
