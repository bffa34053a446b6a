#include "train/nets/net.h"

namespace skim::train {
namespace {

using torch::Tensor;

// Vectors of the questions' words, [texts, longest, width], with dropout.
Tensor questions_of(const NetInput& in) {
  const Padded& question = in.batch.question;
  Tensor vectors = question.vectors(in.words);
  if (!in.drops(in.dropout.input)) return vectors;
  const std::int64_t values = vectors.size(1) * vectors.size(2);
  return vectors * dropout_mask(in, in.batch, values, in.dropout.input,
                                in.noise(Use::question_dropout), false)
                       .view(vectors.sizes());
}

}  // namespace

NetOutput find_spans(const NetInput& in) {
  NetOutput out;
  const Batch& batch = in.batch;
  const Tensor words = text_rows(in);
  Tensor inside;
  const Tensor texts = side_by_side(words, batch, inside);
  const Tensor questions = questions_of(in);
  const Tensor fit = (texts * in.weights.at("question.both")).matmul(questions.transpose(1, 2)) +
                     questions.matmul(in.weights.at("question.w")).unsqueeze(1);
  const Tensor share =
      torch::softmax(fit.masked_fill(batch.question.inside.logical_not().unsqueeze(1), kNever), 2);
  // Back to packed rows.
  const Tensor attended =
      share.matmul(questions).flatten(0, 1).index_select(0, places_side_by_side(batch));
  const Tensor rows = read_layers(in, torch::cat({words, attended, words * attended}, 1), out);
  Tensor kept = rows;
  if (in.drops(in.dropout.output))
    kept = kept * dropout_mask(in, batch, kept.size(1), in.dropout.output,
                               in.noise(Use::output_dropout), true);
  const auto scores = [&](const char* name) {
    return side_by_side(kept.matmul(in.weights.at(name)).unsqueeze(1), batch, inside)
        .squeeze(2)
        .masked_fill(inside.logical_not(), kNever);
  };
  out.scores = scores("first.w");
  out.last_scores = scores("last.w");
  return out;
}

}  // namespace skim::train
