// What a step is judged by: the loss of the texts, the price of reading, rewards of sampled
// choices.
#include "train/fit.h"

namespace skim::train {
namespace {

using torch::Tensor;

// How hard a target rate pulls.
constexpr double kTargetPull = 4;

}  // namespace

// Choices that were sampled: 1 for a right answer, -1 for a wrong one, against what was expected;
// and the expectation is fitted to what came.
void Fit::add_reward(const ReadOutput& reading, const Tensor& scores, const Batch& batch,
                     double texts, Losses& losses) {
  if (!reading.sampled_log_p.defined()) return;
  const Tensor right = (scores.argmax(1) == batch.labels).to(torch::kFloat) * 2 - 1;
  const Tensor reward = right.index_select(0, reading.sampled_text);
  const Tensor surprise = reward - reading.expected;
  losses.total = losses.total +
                 (surprise * surprise - surprise.detach() * reading.sampled_log_p).sum() / texts;
}

Tensor strict_loss(const NetOutput& out, const Batch& batch) {
  const auto loss = [](const Tensor& scores, const Tensor& right) {
    return torch::cross_entropy_loss(scores, right, {}, at::Reduction::None);
  };
  const Tensor first = loss(out.scores, batch.labels);
  return out.last_scores.defined() ? first + loss(out.last_scores, batch.lasts) : first;
}

// Against what a teacher holds of each label.
Tensor loss_of_labels(const Tensor& scores, const Tensor& held, double softness) {
  const Tensor wanted = torch::softmax(torch::log(held + 1e-9) / softness, 1);
  return -(wanted * torch::log_softmax(scores / softness, 1)).sum(1);
}

// Against what it holds of each word or choice. What is beyond a text's end, or its last choice,
// and that alone, has no share.
Tensor loss_of_places(const Tensor& scores, const Tensor& held, double softness) {
  const Tensor share = torch::pow(held, 1 / softness);
  const Tensor wanted = share / share.sum(1, true).clamp_min(1e-9);
  return -(wanted * torch::log_softmax(scores / softness, 1)).sum(1);
}

Tensor taught_loss(const NetOutput& out, const Batch& batch, double softness) {
  const Tensor& held = batch.taught;
  if (out.last_scores.defined())
    return loss_of_places(out.scores, held.select(1, 0), softness) +
           loss_of_places(out.last_scores, held.select(1, 1), softness);
  if (batch.no_choice.defined()) return loss_of_places(out.scores, held, softness);
  return loss_of_labels(out.scores, held, softness);
}

// Against the labels and, with a teacher, against what it holds; of each text. Of a text without a
// label the teacher is heard alone. Softened answers weaken gradients by the square of the
// temperature, which is made good here.
Tensor Fit::loss_of_texts(const NetOutput& out, const Batch& batch) const {
  const Tensor strict = strict_loss(out, batch);
  if (!batch.taught.defined()) return strict;
  const double softness = options_.teacher_softness;
  const Tensor taught = taught_loss(out, batch, softness);
  const Tensor strictly = batch.labelled * (1 - options_.teacher_weight);
  return strictly * strict + (1 - strictly) * (softness * softness) * taught;
}

// Every sum is divided by what there is in all processes together, so that adding up their
// gradients gives that of the whole batch. `weight` is 0 for a process that has no text of it.
Fit::Losses Fit::losses_of(const Batch& batch, const NetOutput& out, const ReadMode& mode,
                           std::int64_t texts, std::int64_t steps, double weight) {
  const auto all_texts = static_cast<double>(texts);
  const Tensor each = loss_of_texts(out, batch);
  Losses losses;
  losses.total = each.sum() / all_texts;
  std::vector<float> sums = {each.sum().item<float>(), 0, 0, 0};
  const bool skims = out.readings.front().taken.defined();
  const bool penalised = out.readings.front().penalty.defined();
  const auto readings = static_cast<double>(steps);
  Tensor penalty, cheap;
  if (skims) {
    for (const ReadOutput& reading : out.readings) {
      if (penalised) {
        const Tensor more = reading.penalty.sum(), less = reading.cheap.sum();
        penalty = penalty.defined() ? penalty + more : more;
        cheap = cheap.defined() ? cheap + less : less;
      }
      sums[2] += static_cast<float>(reading.taken.size(0)) -
                 reading.taken.select(1, 0).sum().item<float>();
    }
    if (penalised) sums[1] = cheap.item<float>();
  }
  for (float& sum : sums) sum *= static_cast<float>(weight);
  sums[3] = stop_ ? 1 : 0;
  group_.sum(sums);
  stop_agreed_ = sums[3] > 0;
  losses.shown = static_cast<double>(sums[0]) / all_texts;
  losses.skimmed = skims ? static_cast<double>(sums[2]) / readings : 0;
  if (!skims) return losses;
  for (const ReadOutput& reading : out.readings)
    add_reward(reading, out.scores, batch, all_texts, losses);
  if (!penalised || mode.estimator == Estimator::none) return losses;
  if (options_.target_rate) {
    const double distance = static_cast<double>(sums[1]) / readings - *options_.target_rate;
    losses.total = losses.total + 2 * kTargetPull * distance * cheap / readings;
  } else {
    losses.total = losses.total + options_.gamma * penalty / readings;
  }
  if (mode.estimator == Estimator::reinforce && spec_.reader.kind == ReaderKind::skim) {
    // A text's reward is how little it lost, against the mean of its batch.
    const Tensor advantage = (losses.shown - each.detach()).index_select(0, text_of_rows(batch));
    for (const ReadOutput& reading : out.readings) {
      const Tensor chosen = (reading.log_p * reading.taken).sum(1);
      losses.total = losses.total - (advantage * chosen).sum() / readings;
    }
  }
  return losses;
}

}  // namespace skim::train
