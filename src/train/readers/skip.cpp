// Skip RNN (Campos et al. 2018). u is 1 where a word is read, else 0; its gradient passes straight
// through to the urge it was rounded from. The penalty is u: how many words were read.
#include "train/batch.h"
#include "train/ops/cell.h"
#include "train/readers/reader.h"

namespace skim::train {

using torch::Tensor;

ReadOutput read_skipping(const ReaderRows& from, const ReadMode& mode) {
  const ReaderSpec& spec = from.spec;
  const Steps& steps = from.batch.steps;
  const Tensor input = torch::addmm(from.weight("big.b"), from.rows, from.weight("big.w").t());
  const Tensor u = from.weight("big.u").t();
  const Tensor inner = spec.cell == Cell::gru ? from.weight("big.bn") : Tensor();
  const Tensor w = from.weight("update.w").t(), b = from.weight("update.b");
  const double limit = mode.training ? 0.5 : mode.threshold;
  CellState state{torch::zeros({steps.texts(), spec.hidden}),
                  torch::zeros({steps.texts(), spec.hidden})};
  Tensor urge = torch::ones({steps.texts(), 1});
  const std::vector<Tensor> inputs = input.split_with_sizes(steps.sizes);
  std::vector<Tensor> hidden, read, urges;
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t n = steps.size(t);
    const CellState before{state.hidden.narrow(0, 0, n), state.cell.narrow(0, 0, n)};
    urge = urge.narrow(0, 0, n);
    const Tensor chosen = (urge.detach() > limit).to(torch::kFloat);
    const Tensor taken = mode.training ? chosen + urge - urge.detach() : chosen;
    const CellState made = run_cell(spec.cell, inputs[static_cast<std::size_t>(t)],
                                    before.hidden.mm(u), inner, before);
    state.hidden = taken * made.hidden + (1 - taken) * before.hidden;
    if (made.cell.defined()) state.cell = taken * made.cell + (1 - taken) * before.cell;
    hidden.push_back(state.hidden);
    read.push_back(taken);
    urges.push_back(urge);
    const Tensor& seen = spec.cell == Cell::lstm ? state.cell : state.hidden;
    // Without a read the state, and so the growth, is what it was.
    const Tensor growth = torch::sigmoid(torch::addmm(b, seen, w));
    urge = taken * growth + (1 - taken) * (urge + torch::minimum(growth, 1 - urge));
  }
  const Tensor taken = torch::cat(read).squeeze(1), p = torch::cat(urges).detach();
  ReadOutput out;
  out.hidden = torch::cat(hidden);
  out.log_p = torch::log(torch::cat({p, 1 - p}, 1).clamp_min(1e-9));
  out.taken = torch::stack({taken.detach(), 1 - taken.detach()}, 1);
  out.penalty = taken;
  out.cheap = 1 - taken;
  return out;
}

}  // namespace skim::train
