#include "train/nets/net.h"

namespace skim::train {
namespace {

using torch::Tensor;

Tensor pool(const ModelSpec& spec, const Weights& weights, const Tensor& rows, const Batch& batch) {
  if (spec.pooling == Pooling::last) return last_states(spec, rows, batch);
  Tensor inside;
  const Tensor all = side_by_side(rows, batch, inside);
  const Tensor outside = inside.logical_not();
  if (spec.pooling == Pooling::max)
    return std::get<0>(all.masked_fill(outside.unsqueeze(2), kNever).max(1));
  Tensor share;
  if (spec.pooling == Pooling::mean) {
    share = inside.to(torch::kFloat) / inside.sum(1, true);
  } else {
    share = torch::softmax(all.matmul(weights.at("pool.w")).masked_fill(outside, kNever), 1);
  }
  return (all * share.unsqueeze(2)).sum(1);
}

}  // namespace

NetOutput classify(const NetInput& in) {
  NetOutput out;
  const Tensor rows = read_layers(in, text_rows(in), out);
  Tensor pooled = pool(in.spec, in.weights, rows, in.batch);
  if (in.drops(in.dropout.output))
    pooled = pooled * dropout_mask(in, in.batch, pooled.size(1), in.dropout.output,
                                   in.noise(Use::output_dropout), false);
  out.scores = torch::addmm(in.weights.at("head.b"), pooled, in.weights.at("head.w").t());
  return out;
}

}  // namespace skim::train
