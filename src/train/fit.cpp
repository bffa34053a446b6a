#include "train/fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "spec/params.h"

namespace skim::train {
namespace {

using torch::Tensor;
using Clock = std::chrono::steady_clock;

// Words of texts evaluated at one go.
constexpr std::size_t kEvalRows = 20'000;
constexpr double kShownDecay = 0.98;
constexpr std::int64_t kLater = std::numeric_limits<std::int64_t>::max();

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The texts of a step that are this process's: every n-th by length, so that all get like work.
std::vector<std::size_t> mine(std::vector<std::size_t> chosen, const std::vector<Item>& items,
                              const Group& group) {
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

std::vector<std::size_t> all_of(const std::vector<Item>& items) {
  std::vector<std::size_t> all(items.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// Where the words of each text would have to go for the loss to grow fastest, `distance` in all.
Tensor against_model(const Tensor& gradients, const Batch& batch, double distance) {
  const Tensor text = text_of_rows(batch);
  const Tensor squares =
      torch::zeros({batch.texts()}).index_add_(0, text, (gradients * gradients).sum(1));
  const Tensor share = distance / (squares.sqrt() + 1e-12);
  return gradients * share.index_select(0, text).unsqueeze(1);
}

}  // namespace

double worth(const Score& score) { return score.accuracy + 0.01 * score.skim_rate; }

void put(const Snapshot& snapshot, Weights& weights) {
  torch::NoGradGuard guard;
  for (const std::string& name : weights.names()) {
    const std::vector<float>& values = snapshot.weights.at(name);
    std::copy(values.begin(), values.end(), weights.at(name).data_ptr<float>());
  }
}

NetOutput read_hard(const ModelSpec& spec, const Weights& weights, const std::vector<float>& words,
                    const Batch& batch, double threshold, int threads) {
  torch::NoGradGuard guard;
  const auto width = static_cast<std::size_t>(spec.word_width);
  Tensor rows = torch::empty({static_cast<std::int64_t>(batch.words.size()), spec.word_width});
  float* to = rows.data_ptr<float>();
  for (std::size_t i = 0; i < batch.words.size(); ++i)
    std::copy_n(words.data() + static_cast<std::size_t>(batch.words[i]) * width, width,
                to + i * width);
  ReadMode mode;
  mode.threshold = threshold;
  mode.threads = threads;
  return run_net({spec, weights, rows, batch, {}, mode});
}

Fit::Fit(const ModelSpec& spec, const Vocabulary& vocabulary, const std::vector<Item>& train,
         const std::vector<Item>& dev, const FitOptions& options, Group& group)
    : spec_(spec),
      train_(train),
      dev_(dev),
      options_(options),
      group_(group),
      weights_(spec, options),
      words_(vocabulary, options.adam),
      adam_(weights_, options.adam),
      schedule_(train, options.batch, options.seed) {
  for (const PassSpec& pass : passes_of(spec_))
    ++(pass.of_question ? question_passes_ : text_passes_);
  skims_from_ = options_.pretrain_fully ? kLater : options_.pretrain_steps;
  progress_.steps = options_.max_steps > 0 ? options_.max_steps : options_.patience_steps;
}

void Fit::begin_with(const std::map<std::string, std::vector<float>>& weights) {
  torch::NoGradGuard guard;
  for (const auto& [name, values] : weights) {
    if (weights_.has(name))
      std::copy(values.begin(), values.end(), weights_.at(name).data_ptr<float>());
  }
  adam_.restart_average();
}

ReadMode Fit::mode_at(std::int64_t step) const {
  ReadMode mode;
  mode.training = true;
  mode.read_all = pretraining();
  const std::int64_t skimming = std::max<std::int64_t>(0, step - skims_from_);
  mode.estimator = options_.estimator;
  mode.temperature = std::max(options_.temperature_floor,
                              std::exp(-options_.temperature_fall * static_cast<double>(skimming)));
  mode.sharpness = std::min(1.0, 0.1 * static_cast<double>(skimming + 1));
  mode.jump = options_.jump;
  mode.threads = options_.threads;
  mode.noise = Noise(options_.seed).at(0x57E9).at(static_cast<std::uint64_t>(step));
  return mode;
}

bool Fit::patience_over() const {
  const std::int64_t since = pretraining() ? best_step_ : std::max(best_step_, skims_from_);
  return step_ - since >= options_.patience_steps;
}

// With full pretraining each of the two parts may take max_steps.
bool Fit::over() const {
  const std::int64_t from = options_.pretrain_fully ? skims_from_ : 0;
  if (options_.pretrain_fully && pretraining()) return false;
  if (options_.max_steps > 0 && step_ - from >= options_.max_steps) return true;
  return !pretraining() && patience_over();
}

void Fit::begin_skimming() {
  torch::NoGradGuard guard;
  if (best_.weights.empty()) look_at_dev();
  put(best_, weights_);
  words_.values = best_.words;
  adam_.restart_average();
  words_.restart_average(step_);
  best_ = {};
  best_step_ = skims_from_ = step_;
}

std::int64_t Fit::eval_steps() const {
  if (options_.eval_steps > 0) return options_.eval_steps;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(schedule_.steps_an_epoch()), 50, 1000);
}

// Of each text as many words as a step takes, from another place every time.
std::vector<Item> Fit::stretches_of(const std::vector<std::size_t>& chosen) const {
  const Noise noise = mode_at(step_).noise.at(static_cast<std::uint64_t>(Use::crop));
  std::vector<Item> stretches;
  for (const std::size_t item : chosen) {
    Item stretch = train_[item];
    if (stretch.words.size() > options_.crop) {
      const std::size_t places = stretch.words.size() - options_.crop + 1;
      const auto begin = static_cast<std::ptrdiff_t>(((noise.bits(item) >> 32) * places) >> 32);
      const auto end = begin + static_cast<std::ptrdiff_t>(options_.crop);
      stretch.words = {stretch.words.begin() + begin, stretch.words.begin() + end};
    }
    stretches.push_back(std::move(stretch));
  }
  return stretches;
}

// Words times readers that go over them.
std::int64_t Fit::steps_of(const Item& item) const {
  return static_cast<std::int64_t>(item.words.size()) * text_passes_ +
         static_cast<std::int64_t>(item.question.size()) * question_passes_;
}

Fit::Portion Fit::portion_of_step() {
  Portion portion;
  portion.chosen = schedule_.at(static_cast<std::size_t>(step_));
  if (options_.crop > 0) {
    portion.stretches = stretches_of(portion.chosen);
    portion.chosen = all_of(portion.stretches);
  }
  const std::vector<Item>& items = items_of(portion);
  for (const std::size_t item : portion.chosen) {
    portion.rows += static_cast<std::int64_t>(items[item].words.size());
    portion.steps += steps_of(items[item]);
    const std::vector<std::int32_t> its_words = words_of(items[item]);
    portion.words.insert(portion.words.end(), its_words.begin(), its_words.end());
  }
  portion.words = distinct_words(std::move(portion.words));
  return portion;
}

// Each distinct word's gradient, added up over the rows it stands in.
void Fit::gather_words(const Tensor& gradient, const std::vector<std::int32_t>& rows,
                       const std::vector<std::int32_t>& distinct,
                       std::vector<float>& gradients) const {
  const auto width = static_cast<std::size_t>(words_.width());
  const std::size_t start = gradients.size();
  gradients.resize(start + distinct.size() * width, 0.0F);
  const float* from = gradient.data_ptr<float>();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto place = static_cast<std::size_t>(
        std::lower_bound(distinct.begin(), distinct.end(), rows[row]) - distinct.begin());
    float* to = gradients.data() + start + place * width;
    for (std::size_t i = 0; i < width; ++i) to[i] += from[row * width + i];
  }
}

Fit::Losses Fit::learn_from(const Portion& portion) {
  const std::vector<Item>& items = items_of(portion);
  const std::vector<std::size_t> part = mine(portion.chosen, items, group_);
  // A process without a text in this batch still takes part in the sums.
  const Batch batch =
      make_batch(items, part.empty() ? std::vector<std::size_t>{portion.chosen[0]} : part);
  const double weight = part.empty() ? 0 : 1;
  for (const Tensor& tensor : weights_.all()) tensor.mutable_grad() = Tensor();
  const ReadMode mode = mode_at(step_);
  // Adds to all gradients.
  const auto learn = [&](const Tensor& words) {
    const NetOutput out = run_net({spec_, weights_, words, batch, options_.dropout, mode});
    const Losses found = losses_of(
        batch, out, mode, static_cast<std::int64_t>(portion.chosen.size()), portion.steps, weight);
    (found.total * weight).backward();
    return found;
  };
  const bool against = options_.adversarial > 0;
  const Tensor words = words_.rows(batch.words).requires_grad_(words_.trains() || against);
  const Losses losses = learn(words);
  if (against) {
    const Tensor moved = (words.detach() + against_model(words.grad(), batch, options_.adversarial))
                             .requires_grad_(true);
    learn(moved);
    words.mutable_grad() += moved.grad();
  }
  std::vector<float> gradients;
  adam_.gather(gradients);
  if (words_.trains()) gather_words(words.grad(), batch.words, portion.words, gradients);
  group_.sum(gradients);
  const double scale = clip_scale(gradients, options_.adam.clip);
  adam_.update(gradients.data(), step_, scale);
  if (words_.trains()) words_.update(portion.words, gradients.data() + adam_.size(), step_, scale);
  return losses;
}

void Fit::note_step(const Losses& losses, std::int64_t rows, double seconds) {
  const double decay = step_ == 1 ? 0 : kShownDecay;
  progress_.step = step_;
  progress_.loss = decay * progress_.loss + (1 - decay) * losses.shown;
  progress_.skim_rate = decay * progress_.skim_rate + (1 - decay) * losses.skimmed;
  progress_.words_a_second =
      decay * progress_.words_a_second + (1 - decay) * static_cast<double>(rows) / seconds;
  progress_.dev.reset();
  progress_.best = false;
}

void Fit::note_time(double seconds) {
  progress_.seconds += seconds;
  const std::int64_t began = pretraining() ? 0 : skims_from_;
  const std::int64_t end = std::max(best_step_, began) + options_.patience_steps;
  const std::int64_t most = options_.max_steps + (options_.pretrain_fully ? began : 0);
  progress_.steps = options_.max_steps > 0 ? std::min(most, end) : end;
  progress_.seconds_left = static_cast<double>(progress_.steps - step_) * progress_.seconds /
                           static_cast<double>(std::max<std::int64_t>(step_, 1));
}

bool Fit::step() {
  if (over()) return false;
  const auto begin = Clock::now();
  const Portion portion = portion_of_step();
  const Losses losses = learn_from(portion);
  ++step_;
  note_step(losses, portion.rows, seconds_since(begin));
  if (step_ % eval_steps() == 0 || over()) look_at_dev();
  const bool read_enough =
      patience_over() || (options_.max_steps > 0 && step_ >= options_.max_steps);
  if (options_.pretrain_fully && pretraining() && read_enough) begin_skimming();
  note_time(seconds_since(begin));
  return true;
}

Snapshot Fit::snapshot() {
  Snapshot made;
  words_.settle(step_);
  adam_.copy_average_to(made.weights);
  made.words = words_.averaged();
  made.step = step_;
  return made;
}

void Fit::look_at_dev() {
  Snapshot now = snapshot();
  now.score = evaluate(dev_, now);
  progress_.dev = now.score;
  // While everything is read, nothing is known about skimming.
  const bool counts =
      step_ > skims_from_ || options_.pretrain_fully || spec_.reader.kind == ReaderKind::full;
  if (!counts) return;
  if (best_.weights.empty() || worth(now.score) > worth(best_.score)) {
    best_ = std::move(now);
    best_step_ = step_;
    progress_.best = true;
  }
}

Score Fit::evaluate(const std::vector<Item>& items, const Snapshot& snapshot) const {
  torch::NoGradGuard guard;
  Weights weights(spec_, options_);
  put(snapshot, weights);
  const bool read_all = step_ <= skims_from_ && skims_from_ > 0;
  std::vector<double> sums(4);
  double &right = sums[0], &loss = sums[1], &skimmed = sums[2], &words = sums[3];
  const auto batches = by_length(items, kEvalRows);
  for (auto at = static_cast<std::size_t>(group_.rank()); at < batches.size();
       at += static_cast<std::size_t>(group_.size())) {
    const Batch batch = make_batch(items, batches[at]);
    const NetOutput out =
        read_hard(spec_, weights, snapshot.words, batch, read_all ? -1.0 : 0.5, options_.threads);
    right += rightness(spec_, out, batch, items);
    loss += strict_loss(out, batch).sum().item<double>();
    for (const ReadOutput& reading : out.readings) {
      const auto rows = static_cast<double>(reading.hidden.size(0));
      words += rows;
      if (reading.taken.defined())
        skimmed += rows - reading.taken.select(1, 0).sum().item<double>();
    }
  }
  group_.sum(sums);
  const auto count = static_cast<double>(items.size());
  return {right / count, loss / count, words == 0 ? 0 : skimmed / words};
}

}  // namespace skim::train
