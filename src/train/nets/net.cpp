#include "train/nets/net.h"

#include <algorithm>

#include "base/best_span.h"

namespace skim::train {
namespace {

using torch::Tensor;

// F1 over the words of two spans of a text.
double span_f1(const BestSpan& found, const Item::Answer& right) {
  const auto first = static_cast<std::int64_t>(found.first);
  const auto last = static_cast<std::int64_t>(found.last);
  const std::int64_t common = std::min(last, right.last) - std::max(first, right.first) + 1;
  if (common <= 0) return 0;
  return 2 * static_cast<double>(common) /
         static_cast<double>(last - first + 1 + right.last - right.first + 1);
}

double sum_span_f1(const NetOutput& out, const Batch& batch, const std::vector<Item>& items) {
  const Tensor first = torch::softmax(out.logits, 1).contiguous();
  const Tensor last = torch::softmax(out.end_logits, 1).contiguous();
  double sum = 0;
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const auto count = static_cast<std::size_t>(batch.lengths[static_cast<std::size_t>(i)]);
    const std::int64_t offset = i * first.size(1);
    const BestSpan found = best_span({first.data_ptr<float>() + offset, count},
                                     {last.data_ptr<float>() + offset, count});
    double best = 0;
    for (const Item::Answer& right : items[batch.items[static_cast<std::size_t>(i)]].answers)
      best = std::max(best, span_f1(found, right));
    sum += best;
  }
  return sum;
}

}  // namespace

NetOutput run_net(const NetInput& in) {
  switch (in.spec.net) {
    case NetKind::classifier:
      return classifier_forward(in);
    case NetKind::cloze:
      return cloze_forward(in);
    case NetKind::span:
      return span_forward(in);
    case NetKind::bidaf:
      break;
  }
  return bidaf_forward(in);
}

double num_correct(const ModelSpec& spec, const NetOutput& out, const Batch& batch,
                   const std::vector<Item>& items) {
  if (spec.is_extractive()) return sum_span_f1(out, batch, items);
  return (out.logits.argmax(1) == batch.labels).sum().item<double>();
}

}  // namespace skim::train
