#include "train/dev_predictions.h"

#include <algorithm>

#include "tasks/multilabel.h"

namespace skim::train {

DevPredictions::DevPredictions(const ModelSpec& spec, const std::vector<Item>& items)
    : output_(spec.output), items_(items), width_(spec.num_logits()) {
  if (output_ != OutputActivation::softmax) scores_.resize(items.size() * width_);
}

void DevPredictions::add(const NetOutput& out, const Batch& batch) {
  const bool sigmoid = output_ == OutputActivation::sigmoid;
  const torch::Tensor scores = (sigmoid ? torch::sigmoid(out.logits) : out.logits).contiguous();
  const float* from = scores.data_ptr<float>();
  for (const std::size_t item : batch.items) {
    std::copy_n(from, width_, scores_.data() + item * width_);
    from += width_;
  }
}

void DevPredictions::reduce(ProcessGroup& group) {
  if (!scores_.empty()) group.all_reduce(scores_);
}

double DevPredictions::score() const {
  return output_ == OutputActivation::sigmoid ? micro_f1() : determination();
}

double DevPredictions::micro_f1() const {
  std::vector<std::vector<int>> truth;
  for (const Item& item : items_) truth.emplace_back(item.labels.begin(), item.labels.end());
  const LabelScores predictions{width_, scores_, truth};
  return multilabel_metrics(predictions, tune_label_thresholds(predictions)).micro_f1;
}

double DevPredictions::determination() const {
  const auto count = static_cast<double>(items_.size());
  double mean = 0, error = 0, variance = 0;
  for (const Item& item : items_) mean += static_cast<double>(*item.value) / count;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const double value = *items_[i].value, distance = value - static_cast<double>(scores_[i]);
    error += distance * distance / count;
    variance += (value - mean) * (value - mean) / count;
  }
  return 1 - error / (variance > 0 ? variance : 1);
}

}  // namespace skim::train
