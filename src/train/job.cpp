#include "train/job.h"

#include <dlfcn.h>

#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/file.h"
#include "base/json.h"
#include "base/result_macros.h"
#include "spec/params.h"
#include "spec/spec_json.h"
#include "tasks/labels.h"
#include "train/checkpoint.h"
#include "train/export.h"
#include "train/fit.h"
#include "train/load.h"
#include "train/options_table.h"
#include "train/outputs.h"
#include "train/resume.h"
#include "train/training_config.h"

namespace skim::train {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMaxCalibrationQuestions = 400;

// The number of threads of this process: by default its share of the machine's cores.
int resolve_threads(int threads, int processes) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return threads > 0 ? threads : std::max(1, cores / processes);
}

// Sets the threads of torch and BLAS. The fused operations of dense and skim readers run their own
// threads, so torch gets one: its sums depend on their number. The other readers are made of
// torch operations, which get all threads.
void set_torch_threads(ReaderKind reader, int threads) {
  const bool fused = reader == ReaderKind::dense || reader == ReaderKind::skim;
  const int count = fused ? 1 : threads;
  at::set_num_threads(count);
  using Setter = void (*)(int);
  if (auto* set = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(count);
}

// Appends what an item has beside one label. Nothing for other items, so that the checksums of old
// checkpoints stay valid.
void append_targets(const Item& item, std::vector<std::int32_t>& all) {
  all.insert(all.end(), item.labels.begin(), item.labels.end());
  if (item.num_labels > 0) all.push_back(-2);
  if (item.value) all.push_back(std::bit_cast<std::int32_t>(*item.value));
  if (item.weight != 1) all.push_back(std::bit_cast<std::int32_t>(item.weight));
}

// The checksum of what is learned from: word ids, labels, answers and soft targets.
std::uint64_t digest(const std::vector<Item>& items) {
  std::vector<std::int32_t> all;
  for (const Item& item : items) {
    all.push_back(static_cast<std::int32_t>(item.label));
    const std::vector<std::int32_t> words = all_word_ids(item);
    all.insert(all.end(), words.begin(), words.end());
    for (const Item::Answer& answer : item.answers) {
      all.push_back(static_cast<std::int32_t>(answer.first));
      all.push_back(static_cast<std::int32_t>(answer.last));
    }
    append_targets(item, all);
    if (!item.labelled) all.push_back(-1);
    for (const float value : item.soft_targets) all.push_back(std::bit_cast<std::int32_t>(value));
  }
  return compute_checksum(std::as_bytes(std::span(all)));
}

// The options, the spec and the checksums of all data: everything that decides which model comes
// out.
Json training_config(const Job& job, const ModelSpec& spec, const TrainingData& data) {
  Json config = options_json(job);
  if (spec.output == OutputActivation::linear)
    config["loss"] = option_value_name(job.fit.regression_loss);
  if (!job.class_weights.empty()) config["class_weights"] = job.class_weights;
  config["spec"] = to_json(spec);
  config["start_from"] = data.start ? Json(data.start->checksum) : Json();
  // Older configurations do not have it.
  if (data.embedding_checksum) config["embeddings"] = *data.embedding_checksum;
  config["train"] = digest(data.train_items);
  config["dev"] = digest(data.dev_items);
  return config;
}

// The name of Score::accuracy in the log.
const char* dev_metric_name(OutputActivation output) {
  switch (output) {
    case OutputActivation::softmax:
      break;
    case OutputActivation::sigmoid:
      return "dev_micro_f1";
    case OutputActivation::linear:
      return "dev_r2";
  }
  return "dev_accuracy";
}

// The log: JSON lines, one per evaluation on dev.
class Log {
 public:
  // Opens the log at `path` and removes the lines of steps after `step`, which a killed run may
  // have written after its last checkpoint.
  Log(const std::string& path, std::int64_t step, OutputActivation output)
      : metric_(dev_metric_name(output)) {
    if (path.empty()) return;
    enabled_ = true;
    std::string kept;
    std::ifstream before(path);
    for (std::string line; step > 0 && std::getline(before, line);) {
      const Result<Json> json = parse_json(line, path);
      if (json && json->value("step", step + 1) <= step) kept += line + "\n";
    }
    before.close();
    if (write_atomically(path, kept)) file_.open(path, std::ios::app);
  }
  bool ok() const { return !enabled_ || (file_.is_open() && file_.good()); }
  // False when the line cannot be written, once: nothing is written after that.
  bool write(const JobProgress& progress) {
    if (!enabled_) return true;
    const Json line = {{"step", progress.step},
                       {"loss", progress.loss},
                       {"train_skim_rate", progress.skim_rate},
                       {metric_, progress.dev_accuracy},
                       {"dev_loss", progress.dev_loss},
                       {"dev_skim_rate", progress.dev_skim_rate},
                       {"best", progress.best},
                       {"words_per_second", progress.words_per_second},
                       {"seconds", progress.seconds}};
    file_ << line.dump() << '\n' << std::flush;
    enabled_ = file_.good();
    return enabled_;
  }

 private:
  const char* metric_;
  std::ofstream file_;
  bool enabled_ = false;
};

JobProgress to_job_progress(const FitProgress& fit) {
  JobProgress progress;
  progress.step = fit.step;
  progress.steps = fit.steps;
  progress.loss = fit.loss;
  progress.skim_rate = fit.skim_rate;
  progress.words_per_second = fit.words_per_second;
  progress.seconds = fit.seconds;
  progress.seconds_left = fit.seconds_left;
  progress.evaluated = fit.dev.has_value();
  progress.best = fit.best;
  if (fit.dev) {
    progress.dev_accuracy = fit.dev->accuracy;
    progress.dev_loss = fit.dev->loss;
    progress.dev_skim_rate = fit.dev->skim_rate;
  }
  return progress;
}

Result<void> save_checkpoint(const Job& job, const Fit& fit, const std::string& config) {
  std::error_code error;
  std::filesystem::create_directories(job.checkpoint, error);
  remove_abandoned_temporaries(job.checkpoint);
  TrainingState state;
  fit.save(state);
  return write_checkpoint(checkpoint_file(job), state, config);
}

// Loads the checkpoint into `fit` when --resume is given and there is one.
Result<void> restore_checkpoint(const Job& job, const ResumeSource& source,
                                const std::string& config, Fit& fit, const JobListener& listener) {
  if (!job.resume) return {};
  if (source.kind == ResumeSource::Kind::nothing) {
    std::error_code ignored;
    const bool replaces = std::filesystem::exists(job.out, ignored);
    listener.message("no checkpoint in " + job.checkpoint + "; training starts from scratch" +
                     (replaces ? " and replaces " + job.out : ""));
    return {};
  }
  const Result<TrainingState> state =
      parse_checkpoint(source.checkpoint, checkpoint_file(job), config);
  if (!state && state.error().fault == Fault::format)
    return fail(Fault::format, state.error().message +
                                   "; the checkpoint is damaged: delete it, or start without "
                                   "--resume, to train from scratch");
  SKIM_RETURN_IF_ERROR(state);
  SKIM_RETURN_IF_ERROR(fit.load(*state));
  listener.message("resumed after step " + std::to_string(fit.steps_done()));
  return {};
}

// Waits until all processes know that training has diverged: the end of one must not look like a
// lost process to another that is still in the step.
void wait_for_group(ProcessGroup& group) {
  std::vector<float> nothing(1);
  try {
    group.all_reduce(nothing);
  } catch (const PeerLost&) {
    // It knew before this process did.
  }
}

// Adds the probable cause and what to do to the error of a training that has diverged.
// `checkpoint_step` is that of the last checkpoint, 0 without one.
tl::unexpected<Error> diverged(const Job& job, const Error& error, std::int64_t checkpoint_step,
                               bool is_rank_zero) {
  char rate[64];
  std::snprintf(rate, sizeof rate, "%g%s", job.fit.adam.learning_rate,
                job.fit.adam.clip == 0 ? " without --clip" : "");
  std::string message =
      error.message + "; --learning-rate " + rate + " is probably too high; no model was written; ";
  if (!is_rank_zero)
    message += "the process of rank 0 tells what to do";
  else if (checkpoint_step == 0)
    message += "no checkpoint was written yet: start again with a lower rate";
  else
    message += "the last checkpoint is of step " + std::to_string(checkpoint_step) + " (" +
               checkpoint_file(job) + "): continue from it with --resume and a lower rate";
  return fail(error.fault, std::move(message));
}

// Takes steps until training has finished (true) or a process of the group was told to stop
// (false). Only the process of rank 0 writes log and checkpoints.
Result<bool> run_steps(const Job& job, Fit& fit, ProcessGroup& group, const std::string& config,
                       const JobListener& listener) {
  const bool first = group.rank() == 0;
  Log log(first ? job.log : "", fit.steps_done(), job.spec.output);
  if (!log.ok()) return fail(Fault::io, job.log + ": cannot be written");
  auto saved = Clock::now();
  std::int64_t checkpoint_step = fit.steps_done();
  while (true) {
    const Result<bool> stepped = fit.step();
    if (!stepped) {
      wait_for_group(group);
      return diverged(job, stepped.error(), checkpoint_step, first);
    }
    if (!*stepped) return true;
    const JobProgress progress = to_job_progress(fit.progress());
    listener.progress(progress);
    if (progress.evaluated && !log.write(progress))
      listener.message(job.log + ": cannot be written; it lacks the evaluations from step " +
                       std::to_string(progress.step) + " on");
    if (listener.stop != nullptr && listener.stop->load()) fit.request_stop();
    const double elapsed = std::chrono::duration<double>(Clock::now() - saved).count();
    const bool stop = fit.stop_agreed() || (group.size() == 1 && fit.stop_requested());
    if (first && (stop || elapsed >= job.checkpoint_seconds)) {
      SKIM_RETURN_IF_ERROR(save_checkpoint(job, fit, config));
      saved = Clock::now();
      checkpoint_step = fit.steps_done();
    }
    if (stop) return false;
  }
}

}  // namespace

std::string blas_name() {
  using Text = char* (*)();
  if (auto* config = reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, "openblas_get_config")))
    return config();
  using ConstText = const char* (*)();
  if (auto* version = reinterpret_cast<ConstText>(dlsym(RTLD_DEFAULT, "bli_info_get_version_str")))
    return std::string("BLIS ") + version();
  return {};
}

namespace {

// Fails unless all processes have the same configuration.
Result<void> check_same_config(ProcessGroup& group, const std::string& config) {
  std::vector<std::byte> first(config.size());
  std::memcpy(first.data(), config.data(), config.size());
  group.broadcast(first);
  if (first.size() == config.size() && std::memcmp(first.data(), config.data(), first.size()) == 0)
    return {};
  return fail(
      Fault::mismatch,
      "process " + std::to_string(group.rank()) +
          " has other options or other data than the process of rank 0; start all processes "
          "with the same command");
}

// The weights that do not start at random: those of --start-from, and for labels that are learned
// from nothing the log-odds of their frequency, which would take many steps to learn.
std::map<std::string, std::vector<float>> initial_weights(const ModelSpec& spec,
                                                          const TrainingData& data) {
  std::map<std::string, std::vector<float>> weights;
  if (spec.output == OutputActivation::sigmoid)
    weights["head.bias"] = label_log_odds(data.train_items);
  if (!data.start) return weights;
  for (const auto& [name, values] : data.start->weights) weights[name] = values;
  return weights;
}

Result<JobReport> run_in_group(const Job& job, const JobListener& listener, ProcessGroup& group) {
  ModelSpec spec = job.spec;
  SKIM_ASSIGN_OR_RETURN(TrainingData data, load_training_data(job, spec, listener.message));
  if (const auto checked = check(spec); !checked)
    return fail(Fault::argument, checked.error().message);
  const std::string config = training_config(job, spec, data).dump();
  SKIM_RETURN_IF_ERROR(check_same_config(group, config));
  SKIM_ASSIGN_OR_RETURN(const ResumeSource source, find_resume_source(job, config, group));
  JobReport report;
  report.is_rank_zero = group.rank() == 0;
  report.embedding_source = data.embedding_source;
  report.coverage = data.coverage;
  report.finished = report.was_finished = source.kind == ResumeSource::Kind::finished;
  if (report.was_finished) return report;
  FitOptions fit_options = job.fit;
  fit_options.label_weights = data.label_weights;
  Fit fit(spec, data.vocabulary, data.train_items, data.dev_items, fit_options, group);
  if (const auto weights = initial_weights(spec, data); !weights.empty()) fit.init_weights(weights);
  SKIM_RETURN_IF_ERROR(restore_checkpoint(job, source, config, fit, listener));
  SKIM_ASSIGN_OR_RETURN(report.finished, run_steps(job, fit, group, config, listener));
  report.steps = fit.steps_done();
  report.seconds = fit.progress().seconds;
  report.accuracy = fit.best().score.accuracy;
  report.skim_rate = fit.best().score.skim_rate;
  report.best_step = fit.best().step;
  if (!report.finished || !report.is_rank_zero) return report;
  if (fit.best().weights.empty())
    return fail(Fault::argument,
                "training ended before skimming was learned, so there is no model; continue with "
                "--resume and a larger --max-steps");
  Snapshot best = fit.best();
  if (spec.output == OutputActivation::linear) fold_scale(data.target_scale, best.weights);
  report.draft = make_draft(spec, data.vocabulary, best, config, job.fit.seed);
  report.dev_name = data.dev.name;
  // Questions are slow to read, and calibration needs no more of them.
  if (spec.net != NetKind::classifier) subsample(data.dev.examples, kMaxCalibrationQuestions);
  if (spec.is_softmax_classifier()) {
    SKIM_ASSIGN_OR_RETURN(report.dev_truth, label_indices(data.dev, spec.labels));
  }
  for (Example& example : data.dev.examples) {
    if (spec.output == OutputActivation::linear) report.dev_values.push_back(example.value);
    report.dev.push_back(std::move(example.query));
  }
  if (spec.output == OutputActivation::sigmoid) {
    for (const Item& item : data.dev_items)
      report.dev_label_sets.emplace_back(item.labels.begin(), item.labels.end());
  }
  return report;
}

// The listener of a process other than rank 0: it reports nothing.
JobListener silenced(const JobListener& listener) {
  return {[](const std::string&) {}, [](const JobProgress&) {}, listener.stop};
}

}  // namespace

Result<JobReport> run_job(Job job, const JobListener& listener) {
  SKIM_ASSIGN_OR_RETURN(const Rendezvous rendezvous, rendezvous_from_environment());
  if (rendezvous.rank == 0) SKIM_RETURN_IF_ERROR(check_outputs(job));
  job.fit.threads = resolve_threads(job.threads, rendezvous.local_size);
  set_torch_threads(job.spec.reader.kind, job.fit.threads);
  if (rendezvous.size > 1 && rendezvous.rank == 0)
    listener.message("waiting at " + rendezvous.address + ":" + std::to_string(rendezvous.port) +
                     " for " + std::to_string(rendezvous.size - 1) + " more processes");
  SKIM_ASSIGN_OR_RETURN(const std::unique_ptr<ProcessGroup> group,
                        join(rendezvous, {job.group_timeout, listener.stop}));
  try {
    return run_in_group(job, rendezvous.rank == 0 ? listener : silenced(listener), *group);
  } catch (const PeerLost& lost) {
    const bool no_checkpoint =
        rendezvous.rank == 0 && !std::filesystem::exists(checkpoint_file(job));
    return fail(Fault::io, std::string(lost.what()) +
                               (no_checkpoint ? "; no checkpoint was written yet"
                                              : "; start all processes again with --resume: the "
                                                "process of rank 0 has the checkpoint, in " +
                                                    job.checkpoint));
  }
}

}  // namespace skim::train
