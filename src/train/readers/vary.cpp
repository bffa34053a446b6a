// VCRNN (Jernite et al. 2017). In training a unit i takes part by e_i = sigmoid(sharpness (m d -
// i)), snapped to 0 and 1 near them; input and state are seen through e, and the state changes by
// it. The penalty is m, the share of the network that runs.
#include "train/batch.h"
#include "train/ops/cell.h"
#include "train/readers/reader.h"

namespace skim::train {
namespace {

using torch::Tensor;

constexpr double kSnap = 1e-3;

Tensor soft_mask(const Tensor& share, std::int64_t size, double sharpness) {
  const Tensor place = torch::arange(1, size + 1, torch::kFloat);
  const Tensor mask = torch::sigmoid(sharpness * (share * size - place));
  const Tensor high = torch::where(mask > 1 - kSnap, torch::ones_like(mask), mask);
  return torch::where(high < kSnap, torch::zeros_like(mask), high);
}

Tensor hard_mask(const Tensor& width, std::int64_t size) {
  return (torch::arange(0, size, torch::kFloat) < width).to(torch::kFloat);
}

}  // namespace

ReadOutput read_varying(const ReaderRows& from, const ReadMode& mode) {
  const ReaderSpec& spec = from.spec;
  const Steps& steps = from.batch.steps;
  const Tensor w = from.weight("big.w").t(), u = from.weight("big.u").t(), b = from.weight("big.b");
  const Tensor inner = spec.cell == Cell::gru ? from.weight("big.bn") : Tensor();
  const Tensor of_input =
      torch::addmm(from.weight("extent.b"), from.rows, from.weight("extent.w").t());
  const Tensor of_state = from.weight("extent.u").t();
  const double lowered = mode.training ? 0 : std::log(mode.threshold / (1 - mode.threshold));
  CellState state{torch::zeros({steps.texts(), spec.hidden}),
                  torch::zeros({steps.texts(), spec.hidden})};
  const std::vector<Tensor> rows = from.rows.split_with_sizes(steps.sizes);
  const std::vector<Tensor> needs_of_input = of_input.split_with_sizes(steps.sizes);
  std::vector<Tensor> hidden, needs, widths;
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t n = steps.size(t);
    const CellState before{state.hidden.narrow(0, 0, n), state.cell.narrow(0, 0, n)};
    const Tensor& x = rows[static_cast<std::size_t>(t)];
    const Tensor need = needs_of_input[static_cast<std::size_t>(t)] + before.hidden.mm(of_state);
    const Tensor share = torch::sigmoid(need - lowered);
    const Tensor width = torch::ceil(share.detach() * spec.hidden).clamp_max(spec.hidden);
    Tensor units, inputs;
    if (mode.training) {
      units = soft_mask(share, spec.hidden, mode.sharpness);
      inputs = soft_mask(share, spec.input, mode.sharpness);
    } else {
      units = hard_mask(width, spec.hidden);
      // As ReaderSpec::inputs_for says, in whole numbers.
      inputs =
          hard_mask(torch::floor((width * spec.input + spec.hidden - 1) / spec.hidden), spec.input);
    }
    const CellState made = run_cell(spec.cell, torch::addmm(b, x * inputs, w),
                                    (before.hidden * units).mm(u), inner, before);
    state.hidden = units * made.hidden + (1 - units) * before.hidden;
    if (made.cell.defined()) state.cell = units * made.cell + (1 - units) * before.cell;
    hidden.push_back(state.hidden);
    needs.push_back(torch::sigmoid(need));
    widths.push_back(width);
  }
  const Tensor share = torch::cat(needs).squeeze(1), p = share.detach();
  ReadOutput out;
  out.hidden = torch::cat(hidden);
  out.log_p = torch::log(torch::stack({p, 1 - p}, 1).clamp_min(1e-9));
  out.widths = torch::cat(widths).squeeze(1);
  const Tensor whole = (out.widths >= spec.hidden).to(torch::kFloat);
  out.taken = torch::stack({whole, 1 - whole}, 1);
  out.penalty = share;
  out.cheap = 1 - share;
  return out;
}

}  // namespace skim::train
