#include "train/ops/recurrent.h"

#include <ATen/Parallel.h>

#include <utility>

#include "spec/params.h"

namespace skim::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// What forward and backward share besides tensors.
struct OpContext : torch::CustomClassHolder {
  SoftShape shape;
  Steps steps;
  Mix mix = Mix::soft;
  double temperature = 1, threshold = 0.5;
  Tensor noise;

  std::int64_t hidden() const { return static_cast<std::int64_t>(shape.hidden); }
  std::int64_t levels() const { return static_cast<std::int64_t>(shape.levels); }
  std::int64_t logits() const { return static_cast<std::int64_t>(shape.logits); }
  bool decides() const { return shape.levels > 1; }
  bool gru() const { return shape.cell == Cell::gru; }
  bool lstm() const { return shape.cell == Cell::lstm; }
};

constexpr std::int64_t kRowsATask = 8;  // a row takes some microseconds

// All memory of one reading.
struct Memory {
  Tensor gates, state_gates, inner, hidden, cell, log_p, soft, taken, noise, inner_bias, zeros;
};

template <class T>
T* data(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

template <class T>
T* data_at(const Tensor& tensor, std::int64_t row) {
  return tensor.defined() ? tensor.data_ptr<T>() + row * tensor.size(1) : nullptr;
}

template <class T>
SoftStep<T> step_at(const OpContext& op, const Memory& memory, std::int64_t t) {
  const std::int64_t row = op.steps.offset(t);
  SoftStep<T> step;
  step.shape = &op.shape;
  step.mix = op.mix;
  step.temperature = static_cast<T>(op.temperature);
  step.threshold = static_cast<T>(op.threshold);
  step.gates = data_at<T>(memory.gates, row);
  step.state_gates = data<T>(memory.state_gates);
  step.inner_bias = data<T>(memory.inner_bias);
  step.inner = data_at<T>(memory.inner, row);
  step.hidden = data_at<T>(memory.hidden, row);
  step.cell = data_at<T>(memory.cell, row);
  const std::int64_t before = t == 0 ? 0 : op.steps.offset(t - 1);
  step.hidden_before = data_at<T>(t == 0 ? memory.zeros : memory.hidden, before);
  if (op.lstm()) step.cell_before = data_at<T>(t == 0 ? memory.zeros : memory.cell, before);
  step.noise = data_at<T>(memory.noise, row);
  step.log_p = data_at<T>(memory.log_p, row);
  step.soft = data_at<T>(memory.soft, row);
  step.taken = data_at<T>(memory.taken, row);
  return step;
}

template <class T>
void forward_step(const OpContext& op, const Memory& memory, std::int64_t t) {
  const SoftStep<T> step = step_at<T>(op, memory, t);
  at::parallel_for(0, op.steps.size(t), kRowsATask, [&](std::int64_t first, std::int64_t last) {
    soft_forward(step, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  });
}

struct Gradients {
  Tensor hidden, cell, log_p, hidden_before, cell_before, state_gates;
};

template <class T>
void backward_step(const OpContext& op, const Memory& memory, const Gradients& gradients,
                   std::int64_t t) {
  const SoftStep<T> step = step_at<T>(op, memory, t);
  const std::int64_t row = op.steps.offset(t);
  SoftGradients<T> at;
  at.hidden = data<T>(gradients.hidden);
  at.cell = data<T>(gradients.cell);
  at.log_p = data_at<T>(gradients.log_p, row);
  at.hidden_before = data<T>(gradients.hidden_before);
  at.cell_before = data<T>(gradients.cell_before);
  at.state_gates = data_at<T>(gradients.state_gates, row);
  at::parallel_for(0, op.steps.size(t), kRowsATask, [&](std::int64_t first, std::int64_t last) {
    soft_backward(step, at, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  });
}

Tensor slab(const OpContext& op, const Tensor& rows, std::int64_t t) {
  return rows.narrow(0, op.steps.offset(t), op.steps.size(t));
}

// The state before step t: the same texts' rows of the step before.
Tensor before(const OpContext& op, const Tensor& state, std::int64_t t) {
  return state.narrow(0, op.steps.offset(t - 1), op.steps.size(t));
}

// The states before all steps but the first, row by row beside the rows from offset(1) on.
Tensor all_before(const OpContext& op, const Tensor& state) {
  const std::int64_t first = op.steps.texts();
  Tensor result = torch::empty({op.steps.rows - first, state.size(1)}, state.options());
  for (std::int64_t t = 1; t < op.steps.count(); ++t)
    result.narrow(0, op.steps.offset(t) - first, op.steps.size(t)).copy_(before(op, state, t));
  return result;
}

// x . h over the entries that both have.
Tensor dot_of(const Tensor& rows, const Tensor& hidden) {
  const std::int64_t width = std::min(rows.size(1), hidden.size(1));
  return (rows.narrow(1, 0, width) * hidden.narrow(1, 0, width)).sum(1, true);
}

// Autograd takes no undefined tensors: what is not there is empty.
Tensor or_empty(const Tensor& tensor, const Tensor& like) {
  return tensor.defined() ? tensor : torch::empty({0}, like.options());
}
bool there(const Tensor& tensor) { return tensor.numel() > 0; }

class ReadFunction : public torch::autograd::Function<ReadFunction> {
 public:
  static tensor_list forward(AutogradContext* ctx, const Tensor& rows, const Tensor& w,
                             const Tensor& u, const Tensor& b, const Tensor& inner_bias,
                             const Tensor& decision_cell, const Tensor& decision_scale,
                             const c10::intrusive_ptr<OpContext>& op) {
    const auto options = rows.options();
    const std::int64_t count = op->steps.rows;
    Memory memory;
    memory.gates = torch::addmm(b, rows, w.t());
    memory.hidden = torch::empty({count, op->hidden()}, options);
    memory.zeros = torch::zeros({op->steps.texts(), op->hidden()}, options);
    if (op->lstm()) memory.cell = torch::empty({count, op->hidden()}, options);
    if (op->shape.inner_stride != 0)
      memory.inner =
          torch::empty({count, static_cast<std::int64_t>(op->shape.inner_stride)}, options);
    if (op->decides()) {
      memory.log_p = torch::empty({count, op->levels()}, options);
      memory.soft = torch::empty({count, op->levels()}, options);
      memory.taken = torch::empty({count, op->levels()}, options);
    }
    if (op->noise.defined()) memory.noise = op->noise.contiguous();
    if (op->gru()) {
      memory.inner_bias = inner_bias.contiguous();
      memory.state_gates = torch::zeros({op->steps.texts(), memory.gates.size(1)}, options);
    }
    const Tensor ut = u.t();
    for (std::int64_t t = 0; t < op->steps.count(); ++t) {
      if (t > 0) add_state(*op, memory, rows, ut, decision_cell, decision_scale, t);
      if (rows.scalar_type() == torch::kFloat)
        forward_step<float>(*op, memory, t);
      else
        forward_step<double>(*op, memory, t);
    }
    ctx->saved_data["op"] = c10::IValue::make_capsule(op);
    ctx->save_for_backward({rows, w, u, decision_cell, decision_scale, memory.gates, memory.inner,
                            memory.hidden, memory.cell, memory.log_p, memory.soft, memory.taken,
                            memory.inner_bias});
    if (!op->decides()) return {memory.hidden};
    ctx->mark_non_differentiable({memory.taken});
    return {memory.hidden, memory.log_p, memory.taken};
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& outputs) {
    const auto capsule = ctx->saved_data["op"].toCapsule();
    const auto& op = static_cast<const OpContext&>(*capsule);
    const auto saved = ctx->get_saved_variables();
    const Tensor &rows = saved[0], &w = saved[1], &u = saved[2], &decision_cell = saved[3],
                 &decision_scale = saved[4];
    Memory memory;
    memory.gates = saved[5];
    memory.inner = saved[6];
    memory.hidden = saved[7];
    memory.cell = saved[8];
    memory.log_p = saved[9];
    memory.soft = saved[10];
    memory.taken = saved[11];
    memory.inner_bias = saved[12];
    memory.zeros = torch::zeros({op.steps.texts(), op.hidden()}, rows.options());
    const bool has_cell = there(decision_cell), has_dot = there(decision_scale);

    Gradients gradients;
    if (outputs.size() > 1 && outputs[1].defined()) gradients.log_p = outputs[1].contiguous();
    if (op.gru()) gradients.state_gates = torch::empty_like(memory.gates);
    const Tensor out = outputs[0].defined() ? outputs[0].contiguous() : Tensor();
    const Tensor carried = memory.zeros.clone();
    gradients.hidden = memory.zeros.clone();
    gradients.hidden_before = memory.zeros.clone();
    if (op.lstm()) {
      gradients.cell = memory.zeros.clone();
      gradients.cell_before = memory.zeros.clone();
    }
    Tensor d_rows_of_dot = has_dot ? torch::zeros_like(rows) : Tensor();
    Tensor d_scale = has_dot ? torch::zeros_like(decision_scale) : Tensor();
    for (std::int64_t t = op.steps.count() - 1; t >= 0; --t) {
      const std::int64_t n = op.steps.size(t);
      Tensor d_hidden = gradients.hidden.narrow(0, 0, n);
      if (out.defined())
        torch::add_out(d_hidden, slab(op, out, t), carried.narrow(0, 0, n));
      else
        d_hidden.copy_(carried.narrow(0, 0, n));
      if (rows.scalar_type() == torch::kFloat)
        backward_step<float>(op, memory, gradients, t);
      else
        backward_step<double>(op, memory, gradients, t);
      if (t == 0) break;
      const Tensor d_gates = slab(op, op.gru() ? gradients.state_gates : memory.gates, t);
      Tensor into = carried.narrow(0, 0, n);
      torch::addmm_out(into, gradients.hidden_before.narrow(0, 0, n), d_gates, u);
      const Tensor d_logits =
          op.decides() ? slab(op, memory.gates, t).narrow(1, op.logits(), op.levels()) : Tensor();
      if (has_cell) gradients.cell_before.narrow(0, 0, n).addmm_(d_logits, decision_cell);
      if (has_dot) {
        const std::int64_t width = std::min(rows.size(1), op.hidden());
        const Tensor x = slab(op, rows, t), h = before(op, memory.hidden, t);
        const Tensor d_dot = (d_logits * decision_scale).sum(1, true);
        d_scale += (d_logits * dot_of(x, h)).sum(0);
        into.narrow(1, 0, width).add_(d_dot * x.narrow(1, 0, width));
        slab(op, d_rows_of_dot, t).narrow(1, 0, width).add_(d_dot * h.narrow(1, 0, width));
      }
      if (op.lstm()) std::swap(gradients.cell, gradients.cell_before);
    }

    const Tensor& d_gates = memory.gates;
    const Tensor& d_state = op.gru() ? gradients.state_gates : memory.gates;
    const std::int64_t first = op.steps.texts(), rest = op.steps.rows - first;
    Tensor d_rows, d_decision_cell, d_inner_bias;
    if (ctx->needs_input_grad(0)) {
      d_rows = d_gates.mm(w);
      if (has_dot) d_rows += d_rows_of_dot;
    }
    const Tensor d_u = d_state.narrow(0, first, rest).t().mm(all_before(op, memory.hidden));
    if (has_cell) {
      d_decision_cell = d_gates.narrow(0, first, rest)
                            .narrow(1, op.logits(), op.levels())
                            .t()
                            .mm(all_before(op, memory.cell));
    }
    if (op.gru()) d_inner_bias = inner_bias_gradient(op, d_state);
    return {d_rows,       d_gates.t().mm(rows), d_u,     d_gates.sum(0),
            d_inner_bias, d_decision_cell,      d_scale, Tensor()};
  }

 private:
  static void add_state(const OpContext& op, const Memory& memory, const Tensor& rows,
                        const Tensor& ut, const Tensor& decision_cell, const Tensor& decision_scale,
                        std::int64_t t) {
    const Tensor hidden = before(op, memory.hidden, t);
    Tensor gates = slab(op, memory.gates, t);
    if (op.gru()) {
      Tensor state = memory.state_gates.narrow(0, 0, op.steps.size(t));
      torch::mm_out(state, hidden, ut);
    } else {
      gates.addmm_(hidden, ut);
    }
    if (there(decision_cell))
      gates.narrow(1, op.logits(), op.levels())
          .addmm_(before(op, memory.cell, t), decision_cell.t());
    if (there(decision_scale))
      gates.narrow(1, op.logits(), op.levels())
          .add_(dot_of(slab(op, rows, t), hidden) * decision_scale);
  }

  // The bias stands beside the state's part of the third gate of each level.
  static Tensor inner_bias_gradient(const OpContext& op, const Tensor& d_state) {
    const Tensor sums = d_state.sum(0);
    std::vector<Tensor> parts;
    for (std::size_t l = 0; l < op.shape.levels; ++l) {
      const SoftLevel& level = op.shape.level[l];
      parts.push_back(sums.narrow(0, static_cast<std::int64_t>(level.gates + 2 * level.units),
                                  static_cast<std::int64_t>(level.units)));
    }
    return torch::cat(parts);
  }
};

}  // namespace

SoftShape shape_of(const ReaderSpec& spec) {
  SoftShape shape;
  shape.cell = spec.cell;
  shape.hidden = static_cast<std::size_t>(spec.hidden);
  shape.levels = spec.kind == ReaderKind::full ? 1 : static_cast<std::size_t>(spec.levels());
  std::size_t column = 0, inner = 0;
  for (std::size_t l = 0; l < shape.levels; ++l) {
    const auto units = static_cast<std::size_t>(spec.width(static_cast<int>(l)));
    shape.level[l] = {units, column, inner};
    column += gates(spec.cell) * units;
    inner += units;
  }
  shape.logits = column;
  shape.gate_stride = column + (shape.levels > 1 ? shape.levels : 0);
  shape.inner_stride = spec.cell == Cell::rnn ? 0 : inner;
  return shape;
}

RecurrentOutput read_fused(const SoftShape& shape, const Steps& steps, const Tensor& rows,
                           const Stacked& weights, const Choice& choice) {
  auto op = c10::make_intrusive<OpContext>();
  op->shape = shape;
  op->steps = steps;
  op->mix = choice.mix;
  op->temperature = choice.temperature;
  op->threshold = choice.threshold;
  op->noise = choice.noise;
  const tensor_list out = ReadFunction::apply(
      rows.contiguous(), weights.w, weights.u, weights.b, or_empty(weights.inner_bias, rows),
      or_empty(weights.decision_cell, rows), or_empty(weights.decision_scale, rows), op);
  if (!op->decides()) return {out[0], {}, {}};
  return {out[0], out[1], out[2]};
}

}  // namespace skim::train
