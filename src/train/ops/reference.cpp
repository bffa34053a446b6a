// The teacher: the same reading in plain tensor operations, slow and easy to check by eye.
#include "train/ops/cell.h"
#include "train/ops/recurrent.h"

namespace skim::train {
namespace {

using torch::Tensor;

using State = CellState;

std::int64_t wide(std::size_t value) { return static_cast<std::int64_t>(value); }

// The level's units new, all others as they were.
Tensor with_tail(const Tensor& head, const Tensor& before, std::int64_t units) {
  return torch::cat({head, before.narrow(1, units, before.size(1) - units)}, 1);
}

Tensor one_hot(const Tensor& index, const Tensor& like) {
  return torch::zeros_like(like).scatter_(1, index.unsqueeze(1), 1);
}

Tensor shares(const Tensor& log_p, const Tensor& noise, const Choice& choice) {
  if (choice.mix == Mix::threshold) {
    const Tensor above = log_p.detach().exp().cumsum(1) > choice.threshold;
    const Tensor last = torch::full({log_p.size(0)}, log_p.size(1) - 1, torch::kLong);
    const Tensor first = above.to(torch::kLong).argmax(1);
    return one_hot(torch::where(above.any(1), first, last), log_p);
  }
  const Tensor sum = noise.defined() ? log_p + noise : log_p;
  const Tensor soft = torch::softmax(sum / choice.temperature, 1);
  if (choice.mix == Mix::soft) return soft;
  const Tensor hard = one_hot(soft.detach().argmax(1), soft);
  return choice.mix == Mix::sample ? hard : hard + soft - soft.detach();
}

}  // namespace

RecurrentOutput read_reference(const SoftShape& shape, const Steps& steps, const Tensor& rows,
                               const Stacked& weights, const Choice& choice) {
  const std::int64_t hidden = wide(shape.hidden), levels = wide(shape.levels);
  const Tensor nothing = torch::zeros({steps.texts(), hidden}, rows.options());
  State state{nothing, nothing};
  const std::vector<Tensor> inputs = rows.split_with_sizes(steps.sizes);
  std::vector<Tensor> out, all_log_p, all_taken;
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t n = steps.size(t);
    const State before{state.hidden.narrow(0, 0, n), state.cell.narrow(0, 0, n)};
    const Tensor& x = inputs[static_cast<std::size_t>(t)];
    const Tensor input = torch::addmm(weights.b, x, weights.w.t());
    const Tensor sums = before.hidden.mm(weights.u.t());
    Tensor share = torch::ones({n, 1}, rows.options());
    if (levels > 1) {
      Tensor logits = (input + sums).narrow(1, wide(shape.logits), levels);
      if (weights.decision_cell.defined())
        logits = logits + before.cell.mm(weights.decision_cell.t());
      if (weights.decision_scale.defined()) {
        const std::int64_t width = std::min(rows.size(1), hidden);
        const Tensor dot = (x.narrow(1, 0, width) * before.hidden.narrow(1, 0, width)).sum(1, true);
        logits = logits + dot * weights.decision_scale;
      }
      const Tensor log_p = torch::log_softmax(logits, 1);
      const Tensor noise =
          choice.noise.defined() ? choice.noise.narrow(0, steps.offset(t), n) : Tensor();
      share = shares(log_p, noise, choice);
      all_log_p.push_back(log_p);
      all_taken.push_back(share.detach());
    }
    State next{torch::zeros_like(before.hidden), torch::zeros_like(before.cell)};
    for (std::size_t l = 0; l < shape.levels; ++l) {
      const SoftLevel& level = shape.level[l];
      const std::int64_t units = wide(level.units);
      State after = before;
      if (units > 0) {
        const std::int64_t width = wide(shape.logits / shape.all_units()) * units;
        const Tensor inner_bias = weights.inner_bias.defined()
                                      ? weights.inner_bias.narrow(0, wide(level.inner), units)
                                      : Tensor();
        const State head{before.hidden.narrow(1, 0, units), before.cell.narrow(1, 0, units)};
        const State made = run_cell(shape.cell, input.narrow(1, wide(level.gates), width),
                                    sums.narrow(1, wide(level.gates), width), inner_bias, head);
        after.hidden = with_tail(made.hidden, before.hidden, units);
        if (made.cell.defined()) after.cell = with_tail(made.cell, before.cell, units);
      }
      const Tensor part = share.narrow(1, wide(l), 1);
      next.hidden = next.hidden + part * after.hidden;
      next.cell = next.cell + part * after.cell;
    }
    out.push_back(next.hidden);
    state = next;
  }
  if (levels == 1) return {torch::cat(out), {}, {}};
  return {torch::cat(out), torch::cat(all_log_p), torch::cat(all_taken)};
}

}  // namespace skim::train
