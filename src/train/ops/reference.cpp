// The reference implementation of the recurrence in tensor operations: slow and simple.
#include "train/ops/cell.h"
#include "train/ops/recurrent.h"

namespace skim::train {
namespace {

using torch::Tensor;

using State = CellState;

std::int64_t wide(std::size_t value) { return static_cast<std::int64_t>(value); }

// The updated units of a level, and the remaining units unchanged.
Tensor with_unchanged_tail(const Tensor& head, const Tensor& before, std::int64_t units) {
  return torch::cat({head, before.narrow(1, units, before.size(1) - units)}, 1);
}

Tensor one_hot(const Tensor& index, const Tensor& like) {
  return torch::zeros_like(like).scatter_(1, index.unsqueeze(1), 1);
}

// The weight of each level in the mixture.
Tensor level_weights(const Tensor& log_p, const Tensor& noise, const MixOptions& options) {
  if (options.mix == Mix::threshold) {
    const Tensor above = log_p.detach().exp().cumsum(1) > options.threshold;
    const Tensor last = torch::full({log_p.size(0)}, log_p.size(1) - 1, torch::kLong);
    const Tensor first = above.to(torch::kLong).argmax(1);
    return one_hot(torch::where(above.any(1), first, last), log_p);
  }
  const Tensor sum = noise.defined() ? log_p + noise : log_p;
  const Tensor soft = torch::softmax(sum / options.temperature, 1);
  if (options.mix == Mix::soft) return soft;
  const Tensor hard = one_hot(soft.detach().argmax(1), soft);
  return options.mix == Mix::sample ? hard : hard + soft - soft.detach();
}

}  // namespace

RecurrentOutput recurrent_reference(const SoftShape& shape, const PackedSteps& steps,
                                    const Tensor& rows, const StackedWeights& weights,
                                    const MixOptions& options) {
  const std::int64_t hidden = wide(shape.hidden), levels = wide(shape.levels);
  const Tensor zeros = torch::zeros({steps.texts(), hidden}, rows.options());
  State state{zeros, zeros};
  const std::vector<Tensor> inputs = rows.split_with_sizes(steps.sizes);
  std::vector<Tensor> out, all_log_p, all_taken;
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t n = steps.size(t);
    const State before{state.hidden.narrow(0, 0, n), state.cell.narrow(0, 0, n)};
    const Tensor& x = inputs[static_cast<std::size_t>(t)];
    const Tensor input = torch::addmm(weights.bias, x, weights.weight_ih.t());
    const Tensor sums = before.hidden.mm(weights.weight_hh.t());
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
          options.noise.defined() ? options.noise.narrow(0, steps.offset(t), n) : Tensor();
      share = level_weights(log_p, noise, options);
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
        const Tensor bias_hn = weights.bias_hn.defined()
                                   ? weights.bias_hn.narrow(0, wide(level.inner), units)
                                   : Tensor();
        const State head{before.hidden.narrow(1, 0, units), before.cell.narrow(1, 0, units)};
        const State made = run_cell(shape.cell, input.narrow(1, wide(level.gates), width),
                                    sums.narrow(1, wide(level.gates), width), bias_hn, head);
        after.hidden = with_unchanged_tail(made.hidden, before.hidden, units);
        if (made.cell.defined()) after.cell = with_unchanged_tail(made.cell, before.cell, units);
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
