// skim-train: `skim train` starts it. Messages and the closing proof; the training itself is
// src/train's.
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
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
#include "tasks/labels.h"
#include "tasks/load.h"
#include "train/corpus.h"
#include "train/job.h"
#include "trainer/choices.h"
#include "trainer/compare.h"
#include "trainer/teacher.h"

namespace skim::cli {
namespace {

std::atomic<bool> stop_asked{false};
void ask_to_stop(int /*signal*/) { stop_asked = true; }

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

// A file that cannot be reported on is said before hours of training, not after.
Result<void> check_test(const Choices& chosen) {
  if (chosen.test.empty()) return {};
  const Result<Dataset> data = load_examples(chosen.test);
  if (!data) return tl::unexpected(data.error());
  if (const auto fits = train::check_kind(*data, chosen.job.spec.net); !fits) return fits;
  if (chosen.job.spec.net != NetKind::cloze) return {};
  return choice_indices(*data).map([](const auto&) {});
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

std::string result_text(const Choices& chosen, const train::JobReport& report, int probes) {
  return format(
      "%s: dev accuracy %.2f %%, skimmed %.1f %%, best at step %lld of %lld, %.0f s; "
      "%d probes replayed\n",
      chosen.out.c_str(), 100 * report.accuracy, 100 * report.skim_rate,
      static_cast<long long>(report.best_step), static_cast<long long>(report.steps),
      report.seconds, probes);
}

// Into the fields of the result, and as text.
std::string add_test(const Report& test, Json& result) {
  const Json marks = marks_json(test.marks);
  for (const auto& [name, value] : marks.items()) result["test_" + name] = value;
  result["test_skim_rate"] = test.skim_rate;
  return format("test %s %.2f %%, skimmed %.1f %%\n", test.marks.chief_name(),
                100 * test.marks.chief(), 100 * test.skim_rate);
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
  std::optional<Error> no_test;
  if (!chosen.test.empty()) {
    const Result<Report> test = look_at_test(chosen);
    if (test)
      of_test = add_test(*test, result);
    else
      no_test = test.error();
  }
  const int printed = print(chosen.json ? result.dump() + "\n"
                                        : result_text(chosen, report, verified->probes) + of_test);
  return no_test ? failed("train", *no_test) : printed;
}

int run(Arguments arguments) {
  Choices chosen;
  Options options("train", "Learns a model from labelled text.",
                  "--train FILE --out FILE [options]");
  declare(options, chosen);
  if (const auto code = options.parse(arguments)) return *code;
  if (const auto wrong = settle(chosen)) return wrong_usage("train", *wrong);
  if (const auto fine = check_test(chosen); !fine) return failed("train", fine.error());
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  chosen.job.teacher = teacher_of(
      chosen.teachers,
      {chosen.job.threads, chosen.quiet ? ProgressBar::Mode::hidden : ProgressBar::Mode::shown,
       &stop_asked});
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

// Every step takes and returns the same large blocks. Left alone, the allocator gives them back to
// the system each time, which clears them anew page by page: a sixth of a step of BiDAF.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace
}  // namespace skim::cli

int main(int count, char** values) {
  try {
    skim::cli::keep_freed_memory();
    const skim::cli::Arguments arguments(values + 1, static_cast<std::size_t>(count - 1));
    if (!arguments.empty() && arguments.front() == std::string_view("compare"))
      return skim::cli::compare(arguments.subspan(1));
    return skim::cli::run(arguments);
  } catch (const std::exception& error) {
    skim::cli::complain("train", error.what());
    return skim::cli::kFailed;
  }
}
