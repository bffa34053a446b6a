#include "train/fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/result_macros.h"
#include "spec/params.h"
#include "train/dev_predictions.h"

namespace skim::train {
namespace {

using torch::Tensor;
using Clock = std::chrono::steady_clock;

// Maximum number of words in an evaluation batch.
constexpr std::size_t kEvalRows = 20'000;
constexpr double kProgressDecay = 0.98;
constexpr std::int64_t kUnknownStep = std::numeric_limits<std::int64_t>::max();

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The texts of this process: every n-th by length, so that all processes get similar work.
std::vector<std::size_t> shard(std::vector<std::size_t> chosen, const std::vector<Item>& items,
                               const ProcessGroup& group) {
  if (group.size() == 1) return chosen;
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t left, std::size_t right) {
    return items[left].words.size() > items[right].words.size();
  });
  std::vector<std::size_t> part;
  for (std::size_t i = static_cast<std::size_t>(group.rank()); i < chosen.size();
       i += static_cast<std::size_t>(group.size()))
    part.push_back(chosen[i]);
  return part;
}

std::vector<std::size_t> all_indices(const std::vector<Item>& items) {
  std::vector<std::size_t> all(items.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// The perturbation of each text's embeddings along their gradient, with norm `distance` (Miyato et
// al. 2017).
Tensor adversarial_perturbation(const Tensor& gradients, const Batch& batch, double distance) {
  const Tensor text = row_texts(batch);
  const Tensor squares =
      torch::zeros({batch.texts()}).index_add_(0, text, (gradients * gradients).sum(1));
  const Tensor scale = distance / (squares.sqrt() + 1e-12);
  return gradients * scale.index_select(0, text).unsqueeze(1);
}

tl::unexpected<Error> not_finite(std::int64_t step, const std::string& what) {
  return fail(Fault::argument, "step " + std::to_string(step) + ": " + what + " is not finite");
}

}  // namespace

double selection_score(const Score& score) { return score.accuracy + 0.01 * score.skim_rate; }

void load_snapshot(const Snapshot& snapshot, Weights& weights) {
  torch::NoGradGuard guard;
  for (const std::string& name : weights.names()) {
    const std::vector<float>& values = snapshot.weights.at(name);
    std::copy(values.begin(), values.end(), weights.at(name).data_ptr<float>());
  }
}

NetOutput forward_hard(const ModelSpec& spec, const Weights& weights, const Snapshot& snapshot,
                       const SubwordIndex* subwords, const Batch& batch, double threshold,
                       int threads) {
  torch::NoGradGuard guard;
  const Tensor rows = embed(snapshot, subwords, batch.words, spec.embedding_size);
  ReadMode mode;
  mode.threshold = threshold;
  mode.threads = threads;
  return run_net({spec, weights, rows, batch, {}, mode});
}

Fit::Fit(const ModelSpec& spec, const Vocabulary& vocabulary, const std::vector<Item>& train,
         const std::vector<Item>& dev, const FitOptions& options, ProcessGroup& group)
    : spec_(spec),
      train_(train),
      dev_(dev),
      options_(options),
      group_(group),
      weights_(spec, options),
      subwords_(vocabulary.subwords),
      embeddings_(vocabulary, options.adam),
      adam_(weights_, options.adam),
      sampler_(train, options.batch_size, options.seed) {
  for (const PassSpec& pass : model_passes(spec_))
    ++(pass.over_question ? question_passes_ : text_passes_);
  skim_start_step_ = options_.pretrain_fully ? kUnknownStep : options_.pretrain_steps;
  progress_.steps = options_.max_steps > 0 ? options_.max_steps : options_.patience_steps;
}

void Fit::init_weights(const std::map<std::string, std::vector<float>>& weights) {
  torch::NoGradGuard guard;
  for (const auto& [name, values] : weights) {
    if (weights_.has(name))
      std::copy(values.begin(), values.end(), weights_.at(name).data_ptr<float>());
  }
  adam_.reset_ema();
}

ReadMode Fit::read_mode_at(std::int64_t step) const {
  ReadMode mode;
  mode.training = true;
  mode.read_all = pretraining();
  const std::int64_t skimming = std::max<std::int64_t>(0, step - skim_start_step_);
  mode.estimator = options_.estimator;
  mode.temperature = std::max(options_.min_temperature, std::exp(-options_.temperature_decay *
                                                                 static_cast<double>(skimming)));
  mode.sharpness = std::min(1.0, 0.1 * static_cast<double>(skimming + 1));
  mode.jump = options_.jump;
  mode.threads = options_.threads;
  mode.noise = CounterRng(options_.seed).at(0x57E9).at(static_cast<std::uint64_t>(step));
  return mode;
}

// Early stopping: too many steps without a better selection score on dev.
bool Fit::out_of_patience() const {
  const std::int64_t since = pretraining() ? best_step_ : std::max(best_step_, skim_start_step_);
  return step_ - since >= options_.patience_steps;
}

// With --pretrain-fully each of the two phases may take max_steps.
bool Fit::finished() const {
  const std::int64_t from = options_.pretrain_fully ? skim_start_step_ : 0;
  if (options_.pretrain_fully && pretraining()) return false;
  if (options_.max_steps > 0 && step_ - from >= options_.max_steps) return true;
  return !pretraining() && out_of_patience();
}

Result<void> Fit::start_skimming() {
  torch::NoGradGuard guard;
  if (best_.weights.empty()) SKIM_RETURN_IF_ERROR(evaluate_dev());
  load_snapshot(best_, weights_);
  adam_.reset_ema();
  embeddings_.restart(best_, step_);
  best_ = {};
  best_step_ = skim_start_step_ = step_;
  return {};
}

std::int64_t Fit::eval_steps() const {
  if (options_.eval_steps > 0) return options_.eval_steps;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(sampler_.steps_per_epoch()), 50, 1000);
}

// Crops longer texts at a place that depends on seed, step and text.
std::vector<Item> Fit::random_crops(const std::vector<std::size_t>& chosen) const {
  const CounterRng noise =
      read_mode_at(step_).noise.at(static_cast<std::uint64_t>(RandomUse::crop));
  std::vector<Item> crops;
  for (const std::size_t item : chosen) {
    Item crop = train_[item];
    if (crop.words.size() > options_.crop_size) {
      const std::size_t places = crop.words.size() - options_.crop_size + 1;
      const auto begin = static_cast<std::ptrdiff_t>(((noise.bits(item) >> 32) * places) >> 32);
      const auto end = begin + static_cast<std::ptrdiff_t>(options_.crop_size);
      crop.words = {crop.words.begin() + begin, crop.words.begin() + end};
    }
    crops.push_back(std::move(crop));
  }
  return crops;
}

// The reader steps of an item: words times passes over them.
std::int64_t Fit::reader_steps(const Item& item) const {
  return static_cast<std::int64_t>(item.words.size()) * text_passes_ +
         static_cast<std::int64_t>(item.question.size()) * question_passes_;
}

Fit::StepData Fit::next_step_data() {
  StepData data;
  data.chosen = sampler_.at(static_cast<std::size_t>(step_));
  if (options_.crop_size > 0) {
    data.crops = random_crops(data.chosen);
    data.chosen = all_indices(data.crops);
  }
  const std::vector<Item>& items = items_for(data);
  std::vector<std::int32_t> words;
  for (const std::size_t item : data.chosen) {
    data.rows += static_cast<std::int64_t>(items[item].words.size());
    data.steps += reader_steps(items[item]);
    const std::vector<std::int32_t> item_ids = all_word_ids(items[item]);
    words.insert(words.end(), item_ids.begin(), item_ids.end());
  }
  data.subword_dropout = {
      options_.dropout.subwords,
      read_mode_at(step_).noise.at(static_cast<std::uint64_t>(RandomUse::subword_dropout))};
  data.rows_used = embeddings_.find_rows(unique_ids(std::move(words)), data.subword_dropout);
  return data;
}

Result<Fit::Losses> Fit::train_step(const StepData& data) {
  const std::vector<Item>& items = items_for(data);
  const std::vector<std::size_t> part = shard(data.chosen, items, group_);
  // A process without a text in this batch still takes part in the reductions, with weight 0.
  const Batch batch =
      make_batch(items, part.empty() ? std::vector<std::size_t>{data.chosen[0]} : part);
  const double weight = part.empty() ? 0 : 1;
  for (const Tensor& tensor : weights_.tensors()) tensor.mutable_grad() = Tensor();
  const ReadMode mode = read_mode_at(step_);
  // Accumulates gradients.
  const auto learn = [&](const Tensor& words) {
    const NetOutput out = run_net({spec_, weights_, words, batch, options_.dropout, mode});
    const Losses found = compute_losses(
        batch, out, mode, static_cast<std::int64_t>(data.chosen.size()), data.steps, weight);
    (found.total * weight).backward();
    return found;
  };
  const bool adversarial = options_.adversarial > 0;
  const Tensor words = embeddings_.embed(batch.words, data.subword_dropout)
                           .requires_grad_(embeddings_.trainable() || adversarial);
  const Losses losses = learn(words);
  if (!std::isfinite(losses.mean)) return not_finite(step_ + 1, "the loss");
  if (adversarial) {
    const Tensor perturbed =
        (words.detach() + adversarial_perturbation(words.grad(), batch, options_.adversarial))
            .requires_grad_(true);
    learn(perturbed);
    words.mutable_grad() += perturbed.grad();
  }
  std::vector<float> gradients;
  adam_.collect_gradients(gradients);
  if (embeddings_.trainable())
    embeddings_.append_gradients(words.grad(), batch.words, data.subword_dropout, data.rows_used,
                                 gradients);
  group_.all_reduce(gradients);
  SKIM_RETURN_IF_ERROR(update_weights(gradients, data.rows_used));
  return losses;
}

// `gradients`: of the weights, then of the rows of embeddings, summed over all processes.
Result<void> Fit::update_weights(const std::vector<float>& gradients,
                                 const EmbeddingRows& rows_used) {
  const double norm = gradient_norm(gradients);
  if (!std::isfinite(norm)) return not_finite(step_ + 1, "a gradient");
  const double scale = clip_scale(norm, options_.adam.clip);
  adam_.update(gradients.data(), step_, scale);
  if (embeddings_.trainable())
    embeddings_.update(rows_used, gradients.data() + adam_.size(), step_, scale);
  if (!adam_.is_finite() || !embeddings_.is_finite(rows_used))
    return not_finite(step_ + 1, "a weight");
  return {};
}

void Fit::record_step(const Losses& losses, std::int64_t rows, double seconds) {
  const double decay = step_ == 1 ? 0 : kProgressDecay;
  progress_.step = step_;
  progress_.loss = decay * progress_.loss + (1 - decay) * losses.mean;
  progress_.skim_rate = decay * progress_.skim_rate + (1 - decay) * losses.skim_rate;
  progress_.words_per_second =
      decay * progress_.words_per_second + (1 - decay) * static_cast<double>(rows) / seconds;
  progress_.dev.reset();
  progress_.best = false;
}

void Fit::estimate_time_left(double seconds) {
  progress_.seconds += seconds;
  const std::int64_t phase_start = pretraining() ? 0 : skim_start_step_;
  const std::int64_t end = std::max(best_step_, phase_start) + options_.patience_steps;
  const std::int64_t last = options_.max_steps + (options_.pretrain_fully ? phase_start : 0);
  progress_.steps = options_.max_steps > 0 ? std::min(last, end) : end;
  progress_.seconds_left = static_cast<double>(progress_.steps - step_) * progress_.seconds /
                           static_cast<double>(std::max<std::int64_t>(step_, 1));
}

Result<bool> Fit::step() {
  if (finished()) return false;
  const auto begin = Clock::now();
  const StepData data = next_step_data();
  SKIM_ASSIGN_OR_RETURN(const Losses losses, train_step(data));
  ++step_;
  record_step(losses, data.rows, seconds_since(begin));
  if (step_ % eval_steps() == 0 || finished()) SKIM_RETURN_IF_ERROR(evaluate_dev());
  const bool pretrained =
      out_of_patience() || (options_.max_steps > 0 && step_ >= options_.max_steps);
  if (options_.pretrain_fully && pretraining() && pretrained)
    SKIM_RETURN_IF_ERROR(start_skimming());
  estimate_time_left(seconds_since(begin));
  return true;
}

Snapshot Fit::snapshot() {
  Snapshot made;
  adam_.copy_ema_to(made.weights);
  embeddings_.copy_ema_to(made, step_);
  made.step = step_;
  return made;
}

Result<void> Fit::evaluate_dev() {
  Snapshot now = snapshot();
  now.score = evaluate(dev_, now);
  if (!std::isfinite(now.score.loss)) return not_finite(step_, "the loss on dev");
  progress_.dev = now.score;
  // During pretraining nothing is known about skimming, so such models are not selected.
  const bool selectable =
      step_ > skim_start_step_ || options_.pretrain_fully || spec_.reader.kind == ReaderKind::dense;
  if (!selectable) return {};
  if (best_.weights.empty() || selection_score(now.score) > selection_score(best_.score)) {
    best_ = std::move(now);
    best_step_ = step_;
    progress_.best = true;
  }
  return {};
}

Score Fit::evaluate(const std::vector<Item>& items, const Snapshot& snapshot) const {
  torch::NoGradGuard guard;
  Weights weights(spec_, options_);
  load_snapshot(snapshot, weights);
  const bool read_all = step_ <= skim_start_step_ && skim_start_step_ > 0;
  std::vector<double> sums(4);
  double &right = sums[0], &loss = sums[1], &skimmed = sums[2], &words = sums[3];
  DevPredictions predictions(spec_, items);
  const auto batches = batch_by_length(items, kEvalRows);
  for (auto at = static_cast<std::size_t>(group_.rank()); at < batches.size();
       at += static_cast<std::size_t>(group_.size())) {
    const Batch batch = make_batch(items, batches[at]);
    const NetOutput out = forward_hard(spec_, weights, snapshot, subwords_.get(), batch,
                                       read_all ? -1.0 : 0.5, options_.threads);
    if (spec_.output == OutputActivation::softmax)
      right += num_correct(spec_, out, batch, items);
    else
      predictions.add(out, batch);
    loss += hard_target_loss(out, batch, options_).sum().item<double>();
    for (const ReadOutput& reading : out.readings) {
      const auto rows = static_cast<double>(reading.hidden.size(0));
      words += rows;
      if (reading.taken.defined())
        skimmed += rows - reading.taken.select(1, 0).sum().item<double>();
    }
  }
  group_.all_reduce(sums);
  predictions.reduce(group_);
  const auto count = static_cast<double>(items.size());
  const bool is_choice = spec_.output == OutputActivation::softmax;
  return {is_choice ? right / count : predictions.score(), loss / count,
          words == 0 ? 0 : skimmed / words};
}

}  // namespace skim::train
