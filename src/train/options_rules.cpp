#include "train/options_rules.h"

namespace skim::train {
namespace {

constexpr int kDefaultBuckets = 20'000;

using Violation = std::optional<std::string>;

Violation check_training_files(const Job& job) {
  if (job.train.empty()) return "--train is missing: the file to train on";
  return std::nullopt;
}

Violation check_teacher_of_crops(const Job& job) {
  if (job.distillation_crops > 0 && job.teachers.empty())
    return "--distillation-crops needs a --teacher";
  return std::nullopt;
}

Violation check_frozen_estimator(const Job& job) {
  if (job.fit.estimator != Estimator::none) return std::nullopt;
  if (job.spec.reader.kind == ReaderKind::skim && !job.start_from.empty()) return std::nullopt;
  return "--estimator none needs --reader skim and --start-from, a model that skims";
}

Violation check_chrono_cell(const Job& job) {
  if (job.fit.chrono_init > 0 && job.spec.reader.cell != Cell::lstm)
    return "--chrono-init is for --cell lstm";
  return std::nullopt;
}

Violation check_pretraining(const Job& job) {
  const FitOptions& fit = job.fit;
  const bool dense = job.spec.reader.kind == ReaderKind::dense;
  if (!dense && fit.max_steps > 0 && fit.pretrain_steps >= fit.max_steps)
    return "--pretrain-steps must be fewer than --max-steps, or skimming is never learned";
  if (dense && fit.pretrain_fully)
    return "--pretrain-fully: a dense reader always reads every word";
  return std::nullopt;
}

Violation check_classifier_only(const Job& job) {
  if (job.spec.net == NetKind::classifier) return std::nullopt;
  if (job.random_crop) return "--random-crop would cut answers away; it is for --task classify";
  if (job.fit.adversarial > 0) return "--adversarial is for --task classify";
  if (job.distillation_crops > 0) return "--distillation-crops is for --task classify";
  if (job.spec.pooling != Pooling::last) return "--pooling is for --task classify";
  return std::nullopt;
}

Violation check_extractive_reader(const Job& job) {
  if (job.spec.is_extractive() && job.spec.reader.kind == ReaderKind::lstm_jump)
    return "--reader lstm-jump has no hidden state after words it jumps over, which --task span "
           "and "
           "bidaf need";
  if (job.spec.net == NetKind::bidaf && job.fit.estimator == Estimator::reinforce)
    return "--estimator reinforce is not for --task bidaf";
  return std::nullopt;
}

Violation check_class_weights(const Job& job) {
  const bool labels =
      job.spec.net == NetKind::classifier && job.spec.output != OutputActivation::linear;
  if (!job.class_weights.empty() && !labels)
    return "--class-weights is for --task classify and multilabel";
  return std::nullopt;
}

Violation check_output(const Job& job) {
  const bool regress = job.spec.output == OutputActivation::linear;
  if (!regress && job.fit.regression_loss != RegressionLoss::mse)
    return "--loss is for --task regress";
  if (job.spec.output != OutputActivation::softmax && job.spec.reader.kind == ReaderKind::lstm_jump)
    return "--reader lstm-jump learns from right and wrong answers; it is for one label per text";
  return std::nullopt;
}

Violation check_jump_numbers(const Job& job) {
  const std::vector<int>& training = job.jump_in_training;
  if (job.jump.size() != 3) return "--jump needs three numbers: R,K,N";
  if (training.empty()) return std::nullopt;
  if (training.size() != 2 || training[0] < 1 || training[1] < 0)
    return "--jump-in-training needs two numbers: R,N";
  return std::nullopt;
}

Violation check_jump_unit(const Job& job) {
  if (job.jump_over == JumpUnit::words) return std::nullopt;
  if (job.spec.reader.kind != ReaderKind::lstm_jump) return "--jump-over is for --reader lstm-jump";
  if (job.spec.num_layers > 1 || job.spec.bidirectional)
    return "--jump-over sentences is for one layer in one direction";
  return std::nullopt;
}

Violation check_subword_lengths(const Job& job) {
  const std::vector<int>& lengths = job.subwords;
  if (lengths.size() == 2 && lengths[0] >= 1 && lengths[0] <= lengths[1] && lengths[1] <= 16)
    return std::nullopt;
  return "--subwords needs two numbers from 1 to 16, the smaller first: MIN,MAX";
}

Violation check_target_rate_reader(const Job& job) {
  if (job.fit.target_rate && job.spec.reader.kind == ReaderKind::lstm_jump)
    return "--target-rate: an lstm-jump reader learns by reward alone and cannot aim at a rate";
  return std::nullopt;
}

}  // namespace

void apply_task(Job& job) {
  job.spec.net = NetKind::classifier;
  job.spec.output = OutputActivation::softmax;
  if (job.task == Task::multilabel) job.spec.output = OutputActivation::sigmoid;
  if (job.task == Task::regress) job.spec.output = OutputActivation::linear;
  if (job.task == Task::cloze) job.spec.net = NetKind::cloze;
  if (job.task == Task::span) job.spec.net = NetKind::span;
  if (job.task == Task::bidaf) job.spec.net = NetKind::bidaf;
}

std::optional<std::string> check_options(const Job& job) {
  for (const auto check :
       {check_training_files, check_teacher_of_crops, check_frozen_estimator, check_chrono_cell,
        check_pretraining, check_classifier_only, check_extractive_reader, check_class_weights,
        check_output, check_jump_numbers, check_jump_unit, check_subword_lengths,
        check_target_rate_reader}) {
    if (Violation violation = check(job)) return violation;
  }
  return std::nullopt;
}

void resolve_options(Job& job) {
  ReaderSpec& reader = job.spec.reader;
  if (reader.kind != ReaderKind::skim) reader.skim_sizes.clear();
  reader.jump = {job.jump[0], job.jump[1], job.jump[2]};
  job.fit.jump = reader.jump;
  if (!job.jump_in_training.empty()) {
    job.fit.jump.tokens_per_jump = job.jump_in_training[0];
    job.fit.jump.max_jumps = job.jump_in_training[1];
  }
  const bool classifies = job.spec.net == NetKind::classifier;
  const int buckets = job.buckets.value_or(classifies ? kDefaultBuckets : 0);
  if (buckets > 0) job.spec.subwords = {job.subwords[0], job.subwords[1], buckets};
  job.fit.crop_size = job.random_crop ? job.max_words : 0;
  if (job.freeze_embeddings) job.fit.adam.embedding_lr_scale = 0;
}

}  // namespace skim::train
