#include "train/nets/net.h"

namespace skim::train {
namespace {

using torch::Tensor;

// Pools the rows of each text, [texts, row].
Tensor pool(const ModelSpec& spec, const Weights& weights, const Tensor& rows, const Batch& batch) {
  if (spec.pooling == Pooling::last) return last_states(spec, rows, batch);
  Tensor mask;
  const Tensor all = pad_rows(rows, batch, mask);
  const Tensor padding = mask.logical_not();
  if (spec.pooling == Pooling::max)
    return std::get<0>(all.masked_fill(padding.unsqueeze(2), kMaskedLogit).max(1));
  Tensor attention;
  if (spec.pooling == Pooling::mean) {
    attention = mask.to(torch::kFloat) / mask.sum(1, true);
  } else {
    attention = torch::softmax(
        all.matmul(weights.at("pooling.weight")).masked_fill(padding, kMaskedLogit), 1);
  }
  return (all * attention.unsqueeze(2)).sum(1);
}

}  // namespace

NetOutput classifier_forward(const NetInput& in) {
  NetOutput out;
  const Tensor rows = read_layers(in, text_embeddings(in), out);
  Tensor pooled = pool(in.spec, in.weights, rows, in.batch);
  if (in.drops(in.dropout.output))
    pooled = pooled * dropout_mask(in, in.batch, pooled.size(1), in.dropout.output,
                                   in.noise(RandomUse::output_dropout), false);
  out.logits = torch::addmm(in.weights.at("head.bias"), pooled, in.weights.at("head.weight").t());
  return out;
}

}  // namespace skim::train
