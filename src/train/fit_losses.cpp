// The losses of a step: cross-entropy, distillation, the skim loss and REINFORCE.
#include "train/fit.h"

namespace skim::train {
namespace {

using torch::Tensor;

// Weight of the squared distance from the target rate.
constexpr double kTargetRateWeight = 4;

// The binary cross-entropy of each text, summed over the labels. `weights` are those of texts with
// the label; none for 1.
Tensor label_set_loss(const Tensor& logits, const Tensor& targets,
                      const std::vector<float>& weights) {
  const Tensor positive = weights.empty() ? Tensor() : torch::tensor(weights);
  return torch::binary_cross_entropy_with_logits(logits, targets, {}, positive, at::Reduction::None)
      .sum(1);
}

Tensor number_loss(const Tensor& predicted, const Tensor& targets, RegressionLoss loss) {
  if (loss == RegressionLoss::huber)
    return torch::huber_loss(predicted, targets, at::Reduction::None);
  return torch::mse_loss(predicted, targets, at::Reduction::None);
}

}  // namespace

// REINFORCE for sampled jumps: the reward is 1 for a right answer and -1 for a wrong one, less the
// learned baseline, which is fitted to the reward.
void Fit::add_reinforce_loss(const ReadOutput& reading, const Tensor& scores, const Batch& batch,
                             double texts, Losses& losses) {
  if (!reading.sampled_log_p.defined()) return;
  const Tensor right = (scores.argmax(1) == batch.labels).to(torch::kFloat) * 2 - 1;
  const Tensor reward = right.index_select(0, reading.sampled_text);
  const Tensor advantage = reward - reading.baseline;
  losses.total = losses.total +
                 (advantage * advantage - advantage.detach() * reading.sampled_log_p).sum() / texts;
}

Tensor hard_target_loss(const NetOutput& out, const Batch& batch, const FitOptions& options) {
  if (batch.label_sets.defined())
    return label_set_loss(out.logits, batch.label_sets, options.label_weights);
  if (batch.values.defined())
    return number_loss(out.logits.squeeze(1), batch.values, options.regression_loss);
  const auto loss = [](const Tensor& scores, const Tensor& right) {
    return torch::cross_entropy_loss(scores, right, {}, at::Reduction::None);
  };
  const Tensor first = loss(out.logits, batch.labels);
  return out.end_logits.defined() ? first + loss(out.end_logits, batch.answer_ends) : first;
}

// Cross-entropy against soft targets over labels, at a temperature.
Tensor soft_label_loss(const Tensor& scores, const Tensor& soft_targets, double temperature) {
  const Tensor target = torch::softmax(torch::log(soft_targets + 1e-9) / temperature, 1);
  return -(target * torch::log_softmax(scores / temperature, 1)).sum(1);
}

// Binary cross-entropy against a probability per label, at a temperature.
Tensor soft_label_set_loss(const Tensor& logits, const Tensor& soft_targets,
                           const FitOptions& options) {
  const double temperature = options.distillation_temperature;
  const Tensor target = torch::sigmoid(torch::logit(soft_targets, 1e-6) / temperature);
  return label_set_loss(logits / temperature, target, options.label_weights);
}

// Cross-entropy against soft targets over words or choices. Padding has probability 0, which a
// softmax of logarithms would not keep.
Tensor soft_position_loss(const Tensor& scores, const Tensor& soft_targets, double temperature) {
  const Tensor powers = torch::pow(soft_targets, 1 / temperature);
  const Tensor target = powers / powers.sum(1, true).clamp_min(1e-9);
  return -(target * torch::log_softmax(scores / temperature, 1)).sum(1);
}

Tensor distillation_loss(const NetOutput& out, const Batch& batch, const FitOptions& options) {
  const double temperature = options.distillation_temperature;
  const Tensor& soft_targets = batch.soft_targets;
  if (out.end_logits.defined())
    return soft_position_loss(out.logits, soft_targets.select(1, 0), temperature) +
           soft_position_loss(out.end_logits, soft_targets.select(1, 1), temperature);
  if (batch.choice_padding.defined())
    return soft_position_loss(out.logits, soft_targets, temperature);
  if (batch.label_sets.defined()) return soft_label_set_loss(out.logits, soft_targets, options);
  if (batch.values.defined())
    return number_loss(out.logits.squeeze(1), soft_targets.squeeze(1), options.regression_loss);
  return soft_label_loss(out.logits, soft_targets, temperature);
}

// The loss of each text against its label and, if it has them, against its soft targets. A text
// without a label has soft targets alone. A temperature T scales the gradients of soft targets by
// 1/T^2, so their loss is multiplied by T^2 (Hinton et al. 2015).
Tensor Fit::loss_per_text(const NetOutput& out, const Batch& batch) const {
  const Tensor hard = hard_target_loss(out, batch, options_);
  if (!batch.soft_targets.defined()) return hard;
  const double temperature = options_.distillation_temperature;
  const Tensor distilled = distillation_loss(out, batch, options_);
  Tensor hard_weight = batch.labelled * (1 - options_.distillation_weight);
  if (batch.distilled.defined())
    hard_weight = torch::where(batch.distilled, hard_weight, torch::ones_like(hard_weight));
  return hard_weight * hard + (1 - hard_weight) * (temperature * temperature) * distilled;
}

// The losses of this process's part of a batch. Sums are divided by the number of `texts` and
// reader `steps` of all processes, so that summing gradients over processes gives the gradient of
// the whole batch. `weight` is 0 for a process without a text.
Fit::Losses Fit::compute_losses(const Batch& batch, const NetOutput& out, const ReadMode& mode,
                                std::int64_t texts, std::int64_t steps, double weight) {
  const auto all_texts = static_cast<double>(texts);
  Tensor each = loss_per_text(out, batch);
  if (batch.text_weights.defined()) each = each * batch.text_weights;
  Losses losses;
  losses.total = each.sum() / all_texts;
  std::vector<float> sums = {each.sum().item<float>(), 0, 0, 0};
  const bool skimming = out.readings.front().taken.defined();
  const bool has_penalty = out.readings.front().penalty.defined();
  const auto readings = static_cast<double>(steps);
  Tensor penalty, p_skim;
  if (skimming) {
    for (const ReadOutput& reading : out.readings) {
      if (has_penalty) {
        const Tensor more = reading.penalty.sum(), less = reading.p_skim.sum();
        penalty = penalty.defined() ? penalty + more : more;
        p_skim = p_skim.defined() ? p_skim + less : less;
      }
      sums[2] += static_cast<float>(reading.taken.size(0)) -
                 reading.taken.select(1, 0).sum().item<float>();
    }
    if (has_penalty) sums[1] = p_skim.item<float>();
  }
  for (float& sum : sums) sum *= static_cast<float>(weight);
  sums[3] = stop_ ? 1 : 0;
  group_.all_reduce(sums);
  stop_agreed_ = sums[3] > 0;
  losses.mean = static_cast<double>(sums[0]) / all_texts;
  losses.skim_rate = skimming ? static_cast<double>(sums[2]) / readings : 0;
  if (!skimming) return losses;
  for (const ReadOutput& reading : out.readings)
    add_reinforce_loss(reading, out.logits, batch, all_texts, losses);
  if (!has_penalty || mode.estimator == Estimator::none) return losses;
  if (options_.target_rate) {
    const double distance = static_cast<double>(sums[1]) / readings - *options_.target_rate;
    losses.total = losses.total + 2 * kTargetRateWeight * distance * p_skim / readings;
  } else {
    losses.total = losses.total + options_.gamma * penalty / readings;
  }
  if (mode.estimator == Estimator::reinforce && spec_.reader.kind == ReaderKind::skim) {
    // The reward is the negative loss; the baseline is its mean over the batch.
    const Tensor advantage = (losses.mean - each.detach()).index_select(0, row_texts(batch));
    for (const ReadOutput& reading : out.readings) {
      const Tensor chosen = (reading.log_p * reading.taken).sum(1);
      losses.total = losses.total - (advantage * chosen).sum() / readings;
    }
  }
  return losses;
}

}  // namespace skim::train
