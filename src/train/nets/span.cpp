#include "train/nets/net.h"

namespace skim::train {
namespace {

using torch::Tensor;

// The padded embeddings of the questions, [texts, longest, embedding_size], with dropout.
Tensor question_embeddings(const NetInput& in) {
  const Padded& question = in.batch.question;
  Tensor embeddings = question.lookup(in.embeddings);
  if (!in.drops(in.dropout.input)) return embeddings;
  const std::int64_t values = embeddings.size(1) * embeddings.size(2);
  return embeddings * dropout_mask(in, in.batch, values, in.dropout.input,
                                   in.noise(RandomUse::question_dropout), false)
                          .view(embeddings.sizes());
}

}  // namespace

NetOutput span_forward(const NetInput& in) {
  NetOutput out;
  const Batch& batch = in.batch;
  const Tensor words = text_embeddings(in);
  Tensor mask;
  const Tensor texts = pad_rows(words, batch, mask);
  const Tensor questions = question_embeddings(in);
  const Tensor similarity =
      (texts * in.weights.at("attention.product")).matmul(questions.transpose(1, 2)) +
      questions.matmul(in.weights.at("attention.query")).unsqueeze(1);
  const Tensor attention = torch::softmax(
      similarity.masked_fill(batch.question.mask.logical_not().unsqueeze(1), kMaskedLogit), 2);
  // Back to packed rows.
  const Tensor attended =
      attention.matmul(questions).flatten(0, 1).index_select(0, padded_positions(batch));
  const Tensor rows = read_layers(in, torch::cat({words, attended, words * attended}, 1), out);
  Tensor dropped = rows;
  if (in.drops(in.dropout.output))
    dropped = dropped * dropout_mask(in, batch, dropped.size(1), in.dropout.output,
                                     in.noise(RandomUse::output_dropout), true);
  const auto position_logits = [&](const char* name) {
    return pad_rows(dropped.matmul(in.weights.at(name)).unsqueeze(1), batch, mask)
        .squeeze(2)
        .masked_fill(mask.logical_not(), kMaskedLogit);
  };
  out.logits = position_logits("start.weight");
  out.end_logits = position_logits("end.weight");
  return out;
}

}  // namespace skim::train
