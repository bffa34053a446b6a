// Skip RNN (Campos et al. 2018). The binary update gate (`taken`) is 1 where a word is read, with a
// straight-through gradient to the update probability that it was rounded from. The penalty is the
// gate: the number of words read.
#include "train/batch.h"
#include "train/ops/cell.h"
#include "train/readers/reader.h"

namespace skim::train {

using torch::Tensor;

ReadOutput read_skip_rnn(const ReaderInput& from, const ReadMode& mode) {
  const ReaderSpec& spec = from.spec;
  const PackedSteps& steps = from.batch.steps;
  const Tensor input =
      torch::addmm(from.weight("big.bias"), from.rows, from.weight("big.weight_ih").t());
  const Tensor weight_hh = from.weight("big.weight_hh").t();
  const Tensor bias_hn = spec.cell == Cell::gru ? from.weight("big.bias_hn") : Tensor();
  const Tensor update_weight = from.weight("update.weight").t();
  const Tensor update_bias = from.weight("update.bias");
  const double threshold = mode.training ? 0.5 : mode.threshold;
  CellState state{torch::zeros({steps.texts(), spec.hidden_size}),
                  torch::zeros({steps.texts(), spec.hidden_size})};
  Tensor update_prob = torch::ones({steps.texts(), 1});
  const std::vector<Tensor> inputs = input.split_with_sizes(steps.sizes);
  std::vector<Tensor> hidden, read, update_probs;
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t n = steps.size(t);
    const CellState before{state.hidden.narrow(0, 0, n), state.cell.narrow(0, 0, n)};
    update_prob = update_prob.narrow(0, 0, n);
    const Tensor chosen = (update_prob.detach() > threshold).to(torch::kFloat);
    const Tensor taken = mode.training ? chosen + update_prob - update_prob.detach() : chosen;
    const CellState made = run_cell(spec.cell, inputs[static_cast<std::size_t>(t)],
                                    before.hidden.mm(weight_hh), bias_hn, before);
    state.hidden = taken * made.hidden + (1 - taken) * before.hidden;
    if (made.cell.defined()) state.cell = taken * made.cell + (1 - taken) * before.cell;
    hidden.push_back(state.hidden);
    read.push_back(taken);
    update_probs.push_back(update_prob);
    const Tensor& seen = spec.cell == Cell::lstm ? state.cell : state.hidden;
    // Without an update the state, and so delta, does not change.
    const Tensor delta = torch::sigmoid(torch::addmm(update_bias, seen, update_weight));
    update_prob =
        taken * delta + (1 - taken) * (update_prob + torch::minimum(delta, 1 - update_prob));
  }
  const Tensor taken = torch::cat(read).squeeze(1), p = torch::cat(update_probs).detach();
  ReadOutput out;
  out.hidden = torch::cat(hidden);
  out.log_p = torch::log(torch::cat({p, 1 - p}, 1).clamp_min(1e-9));
  out.taken = torch::stack({taken.detach(), 1 - taken.detach()}, 1);
  out.penalty = taken;
  out.p_skim = 1 - taken;
  return out;
}

}  // namespace skim::train
