#include "train/nets/net.h"

namespace skim::train {
namespace {

using torch::Tensor;

// Of each spelling the best match of every pattern, [spellings, filters]. A window has its letter
// in the middle, and zeros beyond the word.
Tensor patterns_of(const NetInput& in) {
  const Padded& letters = in.batch.letters;
  const LetterSpec& spec = in.spec.letters;
  const Tensor vectors =
      letters.vectors(in.weights.at("letters.vectors")) * letters.inside.unsqueeze(2);
  const std::int64_t before = (spec.window - 1) / 2;
  const Tensor padded = torch::constant_pad_nd(vectors, {0, 0, before, spec.window - 1 - before});
  // [spellings, letters, width, window] to one row a window, letter after letter.
  const Tensor windows = padded.unfold(1, spec.window, 1).transpose(2, 3).flatten(2);
  const Tensor matches =
      windows.matmul(in.weights.at("letters.w").t()) + in.weights.at("letters.b");
  const Tensor inside = matches.masked_fill(letters.inside.logical_not().unsqueeze(2), kNever);
  return torch::relu(std::get<0>(inside.max(1)));
}

Tensor highway(const NetInput& in, Tensor rows) {
  for (const char* name : {"highway.0", "highway.1"}) {
    const auto linear = [&](const std::string& which) {
      return torch::addmm(in.weights.at(which + ".b"), rows, in.weights.at(which + ".w").t());
    };
    const Tensor gate = torch::sigmoid(linear(std::string(name) + ".gate"));
    rows = rows + gate * (torch::relu(linear(name)) - rows);
  }
  return rows;
}

Tensor dropped(const NetInput& in, const Batch& batch, const Tensor& rows, Use use) {
  if (!in.drops(in.dropout.input)) return rows;
  return rows * dropout_mask(in, batch, rows.size(1), in.dropout.input, in.noise(use), true);
}

// Scores of each word as the answer's first or last, [texts, longest].
Tensor word_scores(const NetInput& in, const std::string& name, const Tensor& met,
                   const Tensor& read) {
  const Batch& batch = in.batch;
  Tensor rows = torch::cat({met, read}, 1);
  if (in.drops(in.dropout.output))
    rows = rows * dropout_mask(in, batch, rows.size(1), in.dropout.output,
                               in.noise(Use::output_dropout).at(name == "first.w" ? 0 : 1), true);
  Tensor inside;
  const Tensor scores =
      side_by_side(rows.matmul(in.weights.at(name)).unsqueeze(1), batch, inside).squeeze(2);
  return scores.masked_fill(inside.logical_not(), kNever);
}

// [h; u~; h * u~; h * h~] for each packed row h of the text.
Tensor meet(const NetInput& in, const Tensor& text, const Tensor& question) {
  const Batch& batch = in.batch;
  Tensor text_inside, question_inside;
  const Tensor h = side_by_side(text, batch, text_inside);
  const Tensor u =
      side_by_side(question, *batch.questions, question_inside).index_select(0, batch.question_of);
  const Tensor outside =
      question_inside.index_select(0, batch.question_of).logical_not().unsqueeze(1);
  const Tensor fit = ((h * in.weights.at("meeting.both")).matmul(u.transpose(1, 2)) +
                      u.matmul(in.weights.at("meeting.question")).unsqueeze(1))
                         .masked_fill(outside, kNever);
  const Tensor attended = torch::softmax(fit, 2).matmul(u);
  const Tensor best = std::get<0>(fit.max(2)) + h.matmul(in.weights.at("meeting.text"));
  const Tensor share = torch::softmax(best.masked_fill(text_inside.logical_not(), kNever), 1);
  const Tensor whole = share.unsqueeze(1).matmul(h);  // [texts, 1, row]
  const Tensor met = torch::cat({h, attended, h * attended, h * whole}, 2);
  return met.flatten(0, 1).index_select(0, places_side_by_side(batch));
}

}  // namespace

NetOutput flow_both_ways(const NetInput& in) {
  NetOutput out;
  const Batch& batch = in.batch;
  const Batch& questions = *batch.questions;
  const std::vector<StackSpec> stacks = in.spec.stacks();
  const Tensor embedded = highway(in, torch::cat({in.words, patterns_of(in)}, 1));
  const auto read_spelled = [&](const Batch& packed, Use use) {
    const Tensor rows = embedded.index_select(0, packed.text_rows);
    return read_stack(in, stacks[0], packed, dropped(in, packed, rows, use), out);
  };
  const Tensor text = read_spelled(batch, Use::input_dropout);
  const Tensor met = meet(in, text, read_spelled(questions, Use::question_dropout));
  const Tensor modelled =
      read_stack(in, stacks[1], batch, dropped(in, batch, met, Use::word_dropout), out);
  out.scores = word_scores(in, "first.w", met, modelled);
  out.last_scores = word_scores(in, "last.w", met, read_stack(in, stacks[2], batch, modelled, out));
  return out;
}

}  // namespace skim::train
