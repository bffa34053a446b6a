#include "train/job.h"

#include <dlfcn.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/json.h"
#include "spec/spec_json.h"
#include "train/checkpoint.h"
#include "train/export.h"
#include "train/fit.h"
#include "train/load.h"

namespace skim::train {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kCalibrationQuestions = 400;

// By default the cores of this machine, shared among the processes on it.
int threads_of(int threads, int processes) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return threads > 0 ? threads : std::max(1, cores / processes);
}

// Fused operations have threads of their own, and torch, whose sums depend on their number, gets
// one. The methods to compare with are made of torch's operations, so there they are its.
void set_torch_threads(ReaderKind reader, int threads) {
  const bool fused = reader == ReaderKind::full || reader == ReaderKind::skim;
  const int count = fused ? 1 : threads;
  at::set_num_threads(count);
  using Setter = void (*)(int);
  if (auto* set = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(count);
}

std::uint64_t digest(const std::vector<Item>& items) {
  std::vector<std::int32_t> all;
  for (const Item& item : items) {
    all.push_back(static_cast<std::int32_t>(item.label));
    const std::vector<std::int32_t> words = words_of(item);
    all.insert(all.end(), words.begin(), words.end());
    for (const Item::Answer& answer : item.answers) {
      all.push_back(static_cast<std::int32_t>(answer.first));
      all.push_back(static_cast<std::int32_t>(answer.last));
    }
    if (!item.labelled) all.push_back(-1);
    for (const float value : item.taught) all.push_back(std::bit_cast<std::int32_t>(value));
  }
  return checksum_of_data(std::as_bytes(std::span(all)));
}

// Everything that decides which model comes out.
Json recipe_of(const Job& job, const ModelSpec& spec, const TrainingData& data) {
  const FitOptions& fit = job.fit;
  return {{"spec", json_of(spec)},
          {"seed", fit.seed},
          {"batch", fit.batch},
          {"max_steps", fit.max_steps},
          {"patience_steps", fit.patience_steps},
          {"eval_steps", fit.eval_steps},
          {"pretrain_steps", fit.pretrain_steps},
          {"pretrain_fully", fit.pretrain_fully},
          {"gamma", fit.gamma},
          {"target_rate", fit.target_rate ? Json(*fit.target_rate) : Json()},
          {"read_bias", fit.read_bias},
          {"memory", fit.memory},
          {"tuned_from", job.tuned_from},
          {"crop", fit.crop},
          {"adversarial", fit.adversarial},
          {"teacher", {fit.teacher_weight, fit.teacher_softness}},
          {"temperature_floor", fit.temperature_floor},
          {"temperature_fall", fit.temperature_fall},
          {"estimator", static_cast<int>(fit.estimator)},
          {"jump", {fit.jump.run, fit.jump.reach, fit.jump.most}},
          {"dropout", {fit.dropout.words, fit.dropout.input, fit.dropout.output}},
          {"rate", fit.adam.rate},
          {"clip", fit.adam.clip},
          {"average", fit.adam.average},
          {"word_rate", fit.adam.word_rate},
          {"start_from", data.start ? Json(data.start->checksum) : Json()},
          {"train", digest(data.train_items)},
          {"dev", digest(data.dev_items)}};
}

// One JSON object a line, for every look at dev.
class Log {
 public:
  // Lines of steps after `step`, which a training that was killed may have written, are taken back.
  Log(const std::string& path, std::int64_t step) {
    if (path.empty()) return;
    wanted_ = true;
    std::string kept;
    std::ifstream before(path);
    for (std::string line; step > 0 && std::getline(before, line);) {
      const Result<Json> json = parse_json(line, path);
      if (json && json->value("step", step + 1) <= step) kept += line + "\n";
    }
    before.close();
    if (write_atomically(path, kept)) file_.open(path, std::ios::app);
  }
  bool fine() const { return !wanted_ || (file_.is_open() && file_.good()); }
  void write(const JobProgress& progress) {
    if (!wanted_) return;
    const Json line = {{"step", progress.step},
                       {"loss", progress.loss},
                       {"train_skim_rate", progress.skim_rate},
                       {"dev_accuracy", progress.dev_accuracy},
                       {"dev_loss", progress.dev_loss},
                       {"dev_skim_rate", progress.dev_skim_rate},
                       {"best", progress.best},
                       {"words_per_second", progress.words_a_second},
                       {"seconds", progress.seconds}};
    file_ << line.dump() << '\n' << std::flush;
  }

 private:
  std::ofstream file_;
  bool wanted_ = false;
};

JobProgress progress_of(const FitProgress& fit) {
  JobProgress progress;
  progress.step = fit.step;
  progress.steps = fit.steps;
  progress.loss = fit.loss;
  progress.skim_rate = fit.skim_rate;
  progress.words_a_second = fit.words_a_second;
  progress.seconds = fit.seconds;
  progress.seconds_left = fit.seconds_left;
  progress.looked = fit.dev.has_value();
  progress.best = fit.best;
  if (fit.dev) {
    progress.dev_accuracy = fit.dev->accuracy;
    progress.dev_loss = fit.dev->loss;
    progress.dev_skim_rate = fit.dev->skim_rate;
  }
  return progress;
}

Result<void> put_aside(const Job& job, const Fit& fit, const std::string& recipe) {
  std::error_code error;
  std::filesystem::create_directories(job.checkpoint, error);
  remove_abandoned_temporaries(job.checkpoint);
  Fit::State state;
  fit.save(state);
  return write_checkpoint(checkpoint_file(job), state, recipe);
}

// The first process's checkpoint, to all of the group; empty when there is none.
Result<std::vector<std::byte>> checkpoint_bytes(const std::string& path, Group& group) {
  std::vector<std::byte> bytes;
  if (group.rank() == 0 && std::filesystem::exists(path)) {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return tl::unexpected(file.error());
    bytes.assign(file->bytes().begin(), file->bytes().end());
  }
  group.share(bytes);
  return bytes;
}

Result<void> take_up(const Job& job, Fit& fit, Group& group, const std::string& recipe,
                     const JobListener& listener) {
  if (!job.resume) return {};
  const Result<std::vector<std::byte>> bytes = checkpoint_bytes(checkpoint_file(job), group);
  if (!bytes) return tl::unexpected(bytes.error());
  if (bytes->empty()) {
    listener.message("no checkpoint in " + job.checkpoint + ": training begins at the beginning");
    return {};
  }
  Result<Fit::State> state = parse_checkpoint(*bytes, checkpoint_file(job), recipe);
  if (!state) return tl::unexpected(state.error());
  if (const auto loaded = fit.load(*state); !loaded) return loaded;
  listener.message("resumed after step " + std::to_string(fit.steps_done()));
  return {};
}

// Steps until training is over (true) or one of the group was told to stop (false). The first
// process of the group alone writes.
Result<bool> run_steps(const Job& job, Fit& fit, const Group& group, const std::string& recipe,
                       const JobListener& listener) {
  const bool first = group.rank() == 0;
  Log log(first ? job.log : "", fit.steps_done());
  if (!log.fine()) return fail(Fault::io, job.log + ": cannot be written");
  auto saved = Clock::now();
  while (fit.step()) {
    const JobProgress progress = progress_of(fit.progress());
    listener.progress(progress);
    if (progress.looked) log.write(progress);
    if (listener.stop != nullptr && listener.stop->load()) fit.ask_to_stop();
    const double age = std::chrono::duration<double>(Clock::now() - saved).count();
    const bool stop = fit.stop_agreed() || (group.size() == 1 && fit.stop_asked());
    if (first && (stop || age >= job.checkpoint_seconds)) {
      if (const auto kept = put_aside(job, fit, recipe); !kept) return tl::unexpected(kept.error());
      saved = Clock::now();
    }
    if (stop) return false;
  }
  return true;
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

std::string checkpoint_file(const Job& job) {
  return (std::filesystem::path(job.checkpoint) / "checkpoint.safetensors").string();
}

namespace {

// All processes must train the same thing on the same data.
Result<void> check_agreement(Group& group, const std::string& recipe) {
  std::vector<std::byte> first(recipe.size());
  std::memcpy(first.data(), recipe.data(), recipe.size());
  group.share(first);
  if (first.size() == recipe.size() && std::memcmp(first.data(), recipe.data(), first.size()) == 0)
    return {};
  return fail(Fault::mismatch,
              "process " + std::to_string(group.rank()) +
                  " was given other options or other data than the first process of its group");
}

Result<JobReport> run_in_group(const Job& job, const JobListener& listener, Group& group) {
  ModelSpec spec = job.spec;
  Result<TrainingData> loaded = load_training_data(job, spec, listener.message);
  if (!loaded) return tl::unexpected(loaded.error());
  TrainingData data = std::move(*loaded);
  if (const auto checked = check(spec); !checked)
    return fail(Fault::argument, checked.error().message);
  const std::string recipe = recipe_of(job, spec, data).dump();
  if (const auto agreed = check_agreement(group, recipe); !agreed)
    return tl::unexpected(agreed.error());
  Fit fit(spec, data.vocabulary, data.train_items, data.dev_items, job.fit, group);
  if (data.start) fit.begin_with(data.start->weights);
  if (const auto taken = take_up(job, fit, group, recipe, listener); !taken)
    return tl::unexpected(taken.error());
  const Result<bool> ended = run_steps(job, fit, group, recipe, listener);
  if (!ended) return tl::unexpected(ended.error());
  JobReport report;
  report.finished = *ended;
  report.first = group.rank() == 0;
  report.steps = fit.steps_done();
  report.seconds = fit.progress().seconds;
  report.accuracy = fit.best().score.accuracy;
  report.skim_rate = fit.best().score.skim_rate;
  report.best_step = fit.best().step;
  if (!report.finished || !report.first) return report;
  if (fit.best().weights.empty())
    return fail(Fault::argument,
                "training ended before it came to skimming, so there is no model; --resume with "
                "more --max-steps goes on");
  report.draft = make_draft(spec, data.vocabulary, fit.best(), recipe, job.fit.seed);
  report.dev_name = data.dev.name;
  // A question costs as much as many texts, and a budget needs no more to be set by.
  if (spec.net != NetKind::classifier) keep_evenly(data.dev.examples, kCalibrationQuestions);
  for (Example& example : data.dev.examples) report.dev.push_back(std::move(example.query));
  return report;
}

// Only the first process speaks.
JobListener quiet(const JobListener& listener) {
  return {[](const std::string&) {}, [](const JobProgress&) {}, listener.stop};
}

}  // namespace

Result<JobReport> run_job(Job job, const JobListener& listener) {
  const Result<Meeting> meeting = meeting_from_environment();
  if (!meeting) return tl::unexpected(meeting.error());
  job.fit.threads = threads_of(job.threads, meeting->here);
  set_torch_threads(job.spec.reader.kind, job.fit.threads);
  if (meeting->size > 1 && meeting->rank == 0)
    listener.message("waiting at " + meeting->address + ":" + std::to_string(meeting->port) +
                     " for " + std::to_string(meeting->size - 1) + " more processes");
  const Result<std::unique_ptr<Group>> group = join(*meeting, job.group_seconds);
  if (!group) return tl::unexpected(group.error());
  try {
    return run_in_group(job, meeting->rank == 0 ? listener : quiet(listener), **group);
  } catch (const GroupLost& lost) {
    const bool none = meeting->rank == 0 && !std::filesystem::exists(checkpoint_file(job));
    return fail(Fault::io, std::string(lost.what()) +
                               (none ? "; no checkpoint was written yet"
                                     : "; start all processes again with --resume: the first one "
                                       "has the checkpoint, in " +
                                           job.checkpoint));
  }
}

}  // namespace skim::train
