#include "train/nets/net.h"

namespace skim::train {
namespace {

using torch::Tensor;

// The character CNN: the maximum of each filter over the bytes of each spelling, [spellings,
// num_filters]. Kernels are centred, with zeros beyond the word.
Tensor char_cnn_features(const NetInput& in) {
  const Padded& chars = in.batch.chars;
  const CharCnnSpec& spec = in.spec.char_cnn;
  const Tensor embeddings =
      chars.lookup(in.weights.at("char_cnn.embedding")) * chars.mask.unsqueeze(2);
  const std::int64_t before = (spec.kernel_size - 1) / 2;
  const Tensor padded =
      torch::constant_pad_nd(embeddings, {0, 0, before, spec.kernel_size - 1 - before});
  // From [spellings, bytes, embedding_size, kernel_size] to one row per window, byte after byte.
  const Tensor windows = padded.unfold(1, spec.kernel_size, 1).transpose(2, 3).flatten(2);
  const Tensor activations =
      windows.matmul(in.weights.at("char_cnn.weight").t()) + in.weights.at("char_cnn.bias");
  const Tensor masked =
      activations.masked_fill(chars.mask.logical_not().unsqueeze(2), kMaskedLogit);
  return torch::relu(std::get<0>(masked.max(1)));
}

Tensor highway(const NetInput& in, Tensor rows) {
  for (const char* name : {"highway.0", "highway.1"}) {
    const auto linear = [&](const std::string& which) {
      return torch::addmm(in.weights.at(which + ".bias"), rows,
                          in.weights.at(which + ".weight").t());
    };
    const Tensor gate = torch::sigmoid(linear(std::string(name) + ".gate"));
    rows = rows + gate * (torch::relu(linear(name)) - rows);
  }
  return rows;
}

// Input dropout of packed rows.
Tensor drop_input(const NetInput& in, const Batch& batch, const Tensor& rows, RandomUse use) {
  if (!in.drops(in.dropout.input)) return rows;
  return rows * dropout_mask(in, batch, rows.size(1), in.dropout.input, in.noise(use), true);
}

// The logits of each word as the answer's first or last, [texts, longest].
Tensor position_logits(const NetInput& in, const std::string& name, const Tensor& attended_rows,
                       const Tensor& read) {
  const Batch& batch = in.batch;
  Tensor rows = torch::cat({attended_rows, read}, 1);
  if (in.drops(in.dropout.output))
    rows = rows * dropout_mask(
                      in, batch, rows.size(1), in.dropout.output,
                      in.noise(RandomUse::output_dropout).at(name == "start.weight" ? 0 : 1), true);
  Tensor mask;
  const Tensor logits =
      pad_rows(rows.matmul(in.weights.at(name)).unsqueeze(1), batch, mask).squeeze(2);
  return logits.masked_fill(mask.logical_not(), kMaskedLogit);
}

// The attention flow layer of BiDAF: [h; u~; h * u~; h * h~] for each packed row h of the text.
Tensor attention_flow(const NetInput& in, const Tensor& text, const Tensor& question) {
  const Batch& batch = in.batch;
  Tensor text_mask, question_mask;
  const Tensor h = pad_rows(text, batch, text_mask);
  const Tensor u =
      pad_rows(question, *batch.questions, question_mask).index_select(0, batch.question_index);
  const Tensor padding =
      question_mask.index_select(0, batch.question_index).logical_not().unsqueeze(1);
  const Tensor similarity = ((h * in.weights.at("attention.product")).matmul(u.transpose(1, 2)) +
                             u.matmul(in.weights.at("attention.query")).unsqueeze(1))
                                .masked_fill(padding, kMaskedLogit);
  const Tensor attended = torch::softmax(similarity, 2).matmul(u);
  const Tensor context_logits =
      std::get<0>(similarity.max(2)) + h.matmul(in.weights.at("attention.context"));
  const Tensor query_to_context =
      torch::softmax(context_logits.masked_fill(text_mask.logical_not(), kMaskedLogit), 1);
  const Tensor context = query_to_context.unsqueeze(1).matmul(h);  // h~, [texts, 1, row]
  const Tensor attended_rows = torch::cat({h, attended, h * attended, h * context}, 2);
  return attended_rows.flatten(0, 1).index_select(0, padded_positions(batch));
}

}  // namespace

NetOutput bidaf_forward(const NetInput& in) {
  NetOutput out;
  const Batch& batch = in.batch;
  const Batch& questions = *batch.questions;
  const std::vector<StackSpec> stacks = in.spec.stacks();
  const Tensor embedded = highway(in, torch::cat({in.embeddings, char_cnn_features(in)}, 1));
  const auto read_contextual = [&](const Batch& packed, const Tensor& rows, RandomUse use) {
    return read_stack(in, stacks[0], packed, drop_input(in, packed, rows, use), out);
  };
  const Tensor text_rows =
      drop_words(in, embedded.index_select(0, batch.spelling_rows), RandomUse::bidaf_word_dropout);
  const Tensor text = read_contextual(batch, text_rows, RandomUse::input_dropout);
  const Tensor question_rows = embedded.index_select(0, questions.spelling_rows);
  const Tensor attended_rows = attention_flow(
      in, text, read_contextual(questions, question_rows, RandomUse::question_dropout));
  const Tensor modelled = read_stack(
      in, stacks[1], batch, drop_input(in, batch, attended_rows, RandomUse::word_dropout), out);
  out.logits = position_logits(in, "start.weight", attended_rows, modelled);
  out.end_logits = position_logits(in, "end.weight", attended_rows,
                                   read_stack(in, stacks[2], batch, modelled, out));
  return out;
}

}  // namespace skim::train
