#include "train/nets/net.h"

namespace skim::train {

using torch::Tensor;

// The last state tells what a fitting choice looks like; its score is their product.
NetOutput fill_gaps(const NetInput& in) {
  NetOutput out;
  const Batch& batch = in.batch;
  Tensor state = last_states(in.spec, read_layers(in, text_rows(in), out), batch);
  if (in.drops(in.dropout.output))
    state = state * dropout_mask(in, batch, state.size(1), in.dropout.output,
                                 in.noise(Use::output_dropout), false);
  const Tensor wanted =
      torch::addmm(in.weights.at("choice.b"), state, in.weights.at("choice.w").t());
  // A choice is the mean of its words, [texts, choices, width].
  const Tensor share =
      batch.choices.inside.to(torch::kFloat) / batch.choices.inside.sum(1, true).clamp_min(1);
  const Tensor choices = (batch.choices.vectors(in.words) * share.unsqueeze(2))
                             .sum(1)
                             .view({batch.texts(), -1, wanted.size(1)});
  out.scores = choices.matmul(wanted.unsqueeze(2)).squeeze(2).masked_fill(batch.no_choice, kNever);
  return out;
}

}  // namespace skim::train
