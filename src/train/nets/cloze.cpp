#include "train/nets/net.h"

namespace skim::train {

using torch::Tensor;

// Predicts the embedding of the fitting choice from the last hidden state; the logit of a choice is
// its dot product with the prediction.
NetOutput cloze_forward(const NetInput& in) {
  NetOutput out;
  const Batch& batch = in.batch;
  Tensor state = last_states(in.spec, read_layers(in, text_embeddings(in), out), batch);
  if (in.drops(in.dropout.output))
    state = state * dropout_mask(in, batch, state.size(1), in.dropout.output,
                                 in.noise(RandomUse::output_dropout), false);
  const Tensor predicted =
      torch::addmm(in.weights.at("choice.bias"), state, in.weights.at("choice.weight").t());
  // The embedding of a choice is the mean over its words, [texts, choices, embedding_size].
  const Tensor word_weights =
      batch.choices.mask.to(torch::kFloat) / batch.choices.mask.sum(1, true).clamp_min(1);
  const Tensor choices = (batch.choices.lookup(in.embeddings) * word_weights.unsqueeze(2))
                             .sum(1)
                             .view({batch.texts(), -1, predicted.size(1)});
  out.logits = choices.matmul(predicted.unsqueeze(2))
                   .squeeze(2)
                   .masked_fill(batch.choice_padding, kMaskedLogit);
  return out;
}

}  // namespace skim::train
