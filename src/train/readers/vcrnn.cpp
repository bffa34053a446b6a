// VCRNN (Jernite et al. 2017). The scheduler predicts the share m of the units that a word updates.
// In training the mask of unit i is sigmoid(sharpness (m d - i)), rounded near 0 and 1; it applies
// to input, state and update. The penalty is m.
#include "train/batch.h"
#include "train/ops/cell.h"
#include "train/readers/reader.h"

namespace skim::train {
namespace {

using torch::Tensor;

// Mask values so close to 0 and 1 are rounded.
constexpr double kSaturation = 1e-3;

Tensor soft_mask(const Tensor& share, std::int64_t size, double sharpness) {
  const Tensor unit = torch::arange(1, size + 1, torch::kFloat);
  const Tensor mask = torch::sigmoid(sharpness * (share * size - unit));
  const Tensor high = torch::where(mask > 1 - kSaturation, torch::ones_like(mask), mask);
  return torch::where(high < kSaturation, torch::zeros_like(mask), high);
}

Tensor hard_mask(const Tensor& width, std::int64_t size) {
  return (torch::arange(0, size, torch::kFloat) < width).to(torch::kFloat);
}

}  // namespace

ReadOutput read_vcrnn(const ReaderInput& from, const ReadMode& mode) {
  const ReaderSpec& spec = from.spec;
  const PackedSteps& steps = from.batch.steps;
  const Tensor weight_ih = from.weight("big.weight_ih").t(),
               weight_hh = from.weight("big.weight_hh").t(), bias = from.weight("big.bias");
  const Tensor bias_hn = spec.cell == Cell::gru ? from.weight("big.bias_hn") : Tensor();
  const Tensor input_logits = torch::addmm(from.weight("scheduler.bias"), from.rows,
                                           from.weight("scheduler.weight_ih").t());
  const Tensor scheduler_weight_hh = from.weight("scheduler.weight_hh").t();
  const double threshold_logit =
      mode.training ? 0 : std::log(mode.threshold / (1 - mode.threshold));
  CellState state{torch::zeros({steps.texts(), spec.hidden_size}),
                  torch::zeros({steps.texts(), spec.hidden_size})};
  const std::vector<Tensor> rows = from.rows.split_with_sizes(steps.sizes);
  const std::vector<Tensor> input_logits_per_step = input_logits.split_with_sizes(steps.sizes);
  std::vector<Tensor> hidden, shares, widths;
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t n = steps.size(t);
    const CellState before{state.hidden.narrow(0, 0, n), state.cell.narrow(0, 0, n)};
    const Tensor& x = rows[static_cast<std::size_t>(t)];
    const Tensor logit =
        input_logits_per_step[static_cast<std::size_t>(t)] + before.hidden.mm(scheduler_weight_hh);
    const Tensor share = torch::sigmoid(logit - threshold_logit);
    const Tensor width = torch::ceil(share.detach() * spec.hidden_size).clamp_max(spec.hidden_size);
    Tensor units, inputs;
    if (mode.training) {
      units = soft_mask(share, spec.hidden_size, mode.sharpness);
      inputs = soft_mask(share, spec.input_size, mode.sharpness);
    } else {
      units = hard_mask(width, spec.hidden_size);
      // ReaderSpec::input_prefix(width).
      inputs = hard_mask(
          torch::floor((width * spec.input_size + spec.hidden_size - 1) / spec.hidden_size),
          spec.input_size);
    }
    const CellState made = run_cell(spec.cell, torch::addmm(bias, x * inputs, weight_ih),
                                    (before.hidden * units).mm(weight_hh), bias_hn, before);
    state.hidden = units * made.hidden + (1 - units) * before.hidden;
    if (made.cell.defined()) state.cell = units * made.cell + (1 - units) * before.cell;
    hidden.push_back(state.hidden);
    shares.push_back(torch::sigmoid(logit));
    widths.push_back(width);
  }
  const Tensor share = torch::cat(shares).squeeze(1), p = share.detach();
  ReadOutput out;
  out.hidden = torch::cat(hidden);
  out.log_p = torch::log(torch::stack({p, 1 - p}, 1).clamp_min(1e-9));
  out.widths = torch::cat(widths).squeeze(1);
  const Tensor whole = (out.widths >= spec.hidden_size).to(torch::kFloat);
  out.taken = torch::stack({whole, 1 - whole}, 1);
  out.penalty = share;
  out.p_skim = 1 - share;
  return out;
}

}  // namespace skim::train
