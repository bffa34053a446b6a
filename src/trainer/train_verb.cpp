#include "trainer/train_verb.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "eval/calibrate.h"
#include "eval/evaluate.h"
#include "eval/report.h"
#include "eval/temperature.h"
#include "eval/test_set.h"
#include "file/model_file.h"
#include "file/probes.h"
#include "skim/verify.h"
#include "tasks/label_sets.h"
#include "tasks/labels.h"
#include "tasks/load.h"
#include "train/corpus.h"
#include "train/job.h"
#include "train/load.h"
#include "train/outputs.h"
#include "trainer/dev_metrics.h"
#include "trainer/teacher.h"
#include "trainer/train_options.h"

namespace skim::cli {
namespace {

std::atomic<bool> stop_requested{false};
void request_stop(int /*signal*/) { stop_requested = true; }

std::string format(const char* pattern, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// Progress on stderr: one line per evaluation on dev, and a progress bar on a terminal.
class ProgressDisplay {
 public:
  ProgressDisplay(ProgressBar::Mode mode, OutputActivation output)
      : quiet_(mode == ProgressBar::Mode::hidden), output_(output), bar_("train", mode) {}

  void show(const train::JobProgress& now) {
    if (quiet_) return;
    if (now.evaluated) {
      dev_ = format("dev %s, skimmed %.0f%%", dev_text(now.dev_accuracy).c_str(),
                    100 * now.dev_skim_rate);
      bar_.clear();
      std::fprintf(stderr, "step %lld  loss %.3f  %s%s  %.0f words/s\n",
                   static_cast<long long>(now.step), now.loss, dev_.c_str(),
                   now.best ? "  best" : "", now.words_per_second);
    }
    const double fraction =
        now.steps > 0 ? static_cast<double>(now.step) / static_cast<double>(now.steps) : 0;
    bar_.update_line(format("%s step %lld  loss %.3f  %s  %.0f words/s  %.0f s left",
                            format_cells(fraction, 20).c_str(), static_cast<long long>(now.step),
                            now.loss, dev_.c_str(), now.words_per_second, now.seconds_left));
  }
  void message(const std::string& text) {
    if (quiet_) return;
    bar_.clear();
    print_message("train", text);
  }

 private:
  // Accuracy, micro F1 or the coefficient of determination.
  std::string dev_text(double score) const {
    if (output_ == OutputActivation::linear) return format("R2 %.3f", score);
    return format(output_ == OutputActivation::sigmoid ? "micro F1 %.1f%%" : "%.1f%%", 100 * score);
  }

  bool quiet_;
  OutputActivation output_;
  ProgressBar bar_;
  std::string dev_ = "dev not yet evaluated";
};

struct Verified {
  VerifyReport report;
  std::optional<Metrics> dev;  // unless the accuracy of the training says it all
};

// Checks that the runtime answers the probes of the draft as the trainer did, then calibrates it.
Result<Verified> verify_and_calibrate(const TrainOptions& chosen, train::JobReport& report) {
  SKIM_ASSIGN_OR_RETURN(auto bytes, to_bytes(report.draft));
  SKIM_ASSIGN_OR_RETURN(const auto model, Model::from_bytes(std::move(bytes), "the trained model"));
  Verified done;
  SKIM_ASSIGN_OR_RETURN(done.report, verify(model));
  if (!done.report.ok())
    return fail(Fault::mismatch, "the runtime and the trainer disagree on the model: " +
                                     done.report.messages.front());
  if (has_thresholds(report.draft.spec)) {
    SKIM_ASSIGN_OR_RETURN(report.draft.calibration, calibrate(model, report.dev, report.dev_name));
  }
  if (report.draft.spec.is_softmax_classifier() && !chosen.no_temperature) {
    SKIM_ASSIGN_OR_RETURN(const TemperatureFit fit,
                          fit_temperature(model, report.dev, report.dev_truth));
    report.draft.calibration.data = describe_data(report.dev_name);
    set_temperature(report.draft, fit.temperature);
  }
  SKIM_ASSIGN_OR_RETURN(done.dev, measure_dev(model, report));
  return done;
}

// Checks the test file before training, not after hours of it.
Result<void> check_test_file(const TrainOptions& chosen) {
  if (chosen.test.empty()) return {};
  SKIM_ASSIGN_OR_RETURN(const Dataset data,
                        load_examples(chosen.test, label_kind(chosen.job.spec)));
  SKIM_RETURN_IF_ERROR(train::check_task(data, chosen.job.spec.net));
  if (chosen.job.spec.net != NetKind::cloze) return {};
  SKIM_RETURN_IF_ERROR(choice_indices(data));
  return {};
}

// Evaluates the written model on the test file with the runtime.
Result<Report> evaluate_test(const TrainOptions& chosen) {
  SKIM_ASSIGN_OR_RETURN(const auto model, Model::load(chosen.out));
  SKIM_ASSIGN_OR_RETURN(Dataset data, load_examples(chosen.test, label_kind(model.spec())));
  SKIM_ASSIGN_OR_RETURN(const TestSet set, make_test_set(std::move(data), model.spec()));
  EvaluateOptions options;
  options.timing.reset();
  return evaluate(model, set, options);
}

// Where pretrained embeddings came from; null for random ones.
Json embeddings_json(const train::JobReport& report) {
  if (report.embedding_source.empty()) return {};
  return {{"source", report.embedding_source},
          {"words", report.coverage.words},
          {"training_words", report.coverage.all_words},
          {"token_coverage", report.coverage.token_share()}};
}

// "accuracy 91.20 %", "micro F1 52.13 %", "RMSE 0.8214".
std::string dev_text(const train::JobReport& report, const Verified& verified) {
  if (!verified.dev) return format("accuracy %.2f %%", 100 * report.accuracy);
  return verified.dev->primary_name() + (" " + primary_text(*verified.dev));
}

std::string result_text(const TrainOptions& chosen, const train::JobReport& report,
                        const Verified& verified) {
  return printable(chosen.out) + ": dev " + dev_text(report, verified) +
         format(
             ", skimmed %.1f %%, best at step %lld of %lld, %.0f s; "
             "%d probes replayed\n",
             100 * report.skim_rate, static_cast<long long>(report.best_step),
             static_cast<long long>(report.steps), report.seconds, verified.report.probes) +
         "embeddings: " + train::describe_embeddings(report.embedding_source, report.coverage) +
         "\n";
}

Json result_json(const TrainOptions& chosen, const train::JobReport& report,
                 const Verified& verified) {
  Json result = {{"model", chosen.out}};
  if (verified.dev) {
    const Json metrics = metrics_json(*verified.dev);
    for (const auto& [name, value] : metrics.items()) result["dev_" + name] = value;
  } else {
    result["dev_accuracy"] = report.accuracy;
  }
  result["dev_skim_rate"] = report.skim_rate;
  result["best_step"] = report.best_step;
  result["steps"] = report.steps;
  result["seconds"] = report.seconds;
  result["embeddings"] = embeddings_json(report);
  result["probes"] = verified.report.probes;
  result["max_score_error"] = verified.report.max_score_error;
  if (report.draft.spec.is_softmax_classifier())
    result["temperature"] = report.draft.calibration.temperature;
  return result;
}

// Adds the test metrics to the result; returns them as text.
std::string add_test_metrics(const Report& test, Json& result) {
  const Json metrics = metrics_json(test.metrics);
  for (const auto& [name, value] : metrics.items()) result["test_" + name] = value;
  result["test_skim_rate"] = test.skim_rate;
  return format("test %s %s, skimmed %.1f %%\n", test.metrics.primary_name(),
                primary_text(test.metrics).c_str(), 100 * test.skim_rate);
}

// Prints the result, with the metrics on the test file if there is one.
int print_result(const TrainOptions& chosen, Json result, std::string text) {
  std::optional<Error> test_error;
  if (!chosen.test.empty()) {
    const Result<Report> test = evaluate_test(chosen);
    if (test)
      text += add_test_metrics(*test, result);
    else
      test_error = test.error();
  }
  const int printed = print(chosen.json ? result.dump() + "\n" : text);
  return test_error ? failed("train", *test_error) : printed;
}

// --resume of a training that has finished: leaves the model alone.
int print_finished_before(const TrainOptions& chosen) {
  return print_result(chosen, {{"model", chosen.out}, {"finished_before", true}},
                      printable(chosen.out) +
                          ": this training has finished before; the model is left as it is. To "
                          "train again, start without --resume\n");
}

int finish(const TrainOptions& chosen, train::JobReport& report, ProgressDisplay& display) {
  display.message("replaying probes and calibrating on dev");
  const Result<Verified> verified = verify_and_calibrate(chosen, report);
  if (!verified) return failed("train", verified.error());
  if (const auto written = write_model_file(report.draft, chosen.out); !written)
    return failed("train", written.error());
  std::error_code ignored;
  std::filesystem::remove(train::checkpoint_file(chosen.job), ignored);
  remove_abandoned_temporaries(chosen.job.checkpoint);
  std::filesystem::remove(chosen.job.checkpoint, ignored);  // only when nothing else is in it
  return print_result(chosen, result_json(chosen, report, *verified),
                      result_text(chosen, report, *verified));
}

}  // namespace

int run_train_verb(Arguments arguments) {
  TrainOptions chosen;
  if (const auto code = parse_train_options(arguments, chosen)) return *code;
  if (const auto valid = check_test_file(chosen); !valid) return failed("train", valid.error());
  stop_requested = false;
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  const auto mode = chosen.quiet ? ProgressBar::Mode::hidden : ProgressBar::Mode::shown;
  chosen.job.teacher =
      make_teacher(chosen.job.teachers, {chosen.job.threads, mode, &stop_requested});
  ProgressDisplay display(mode, chosen.job.spec.output);
  if (train::blas_name().empty())
    display.message(
        "the BLAS in use is neither OpenBLAS nor BLIS and may be many times slower; install "
        "libopenblas0-pthread");
  train::JobListener listener;
  listener.message = [&](const std::string& text) { display.message(text); };
  listener.progress = [&](const train::JobProgress& now) { display.show(now); };
  listener.stop = &stop_requested;
  Result<train::JobReport> report = train::run_job(chosen.job, listener);
  if (!report) return failed("train", report.error());
  if (!report->is_rank_zero) return report->finished ? kSuccess : kFailure;
  if (!report->finished) {
    display.message("stopped after step " + std::to_string(report->steps) +
                    "; the same command with --resume continues");
    return kFailure;
  }
  if (report->was_finished) return print_finished_before(chosen);
  return finish(chosen, *report, display);
}

}  // namespace skim::cli
