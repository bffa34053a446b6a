#include "train/ops/recurrent.h"

#include <vector>

#include "spec/params.h"
#include "train/ops/fused_recurrence.h"
#include "train/ops/gemm.h"

namespace skim::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// The state that forward and backward share besides tensors.
struct OpContext : torch::CustomClassHolder {
  RecurrencePlan plan;
  Tensor noise;
};

// Autograd takes no undefined tensors, so absent ones are empty.
Tensor empty_if_undefined(const Tensor& tensor, const Tensor& like) {
  return tensor.defined() ? tensor : torch::empty({0}, like.options());
}

template <class T>
View<T> view(const Tensor& tensor) {
  if (!tensor.defined() || tensor.numel() == 0) return {};
  return {tensor.data_ptr<std::remove_const_t<T>>(), tensor.dim() == 1 ? 1 : tensor.size(1)};
}

class ReadFunction : public torch::autograd::Function<ReadFunction> {
 public:
  static tensor_list forward(AutogradContext* ctx, const Tensor& rows, const Tensor& weight_ih,
                             const Tensor& weight_hh, const Tensor& bias, const Tensor& bias_hn,
                             const Tensor& decision_cell, const Tensor& decision_scale,
                             const c10::intrusive_ptr<OpContext>& op) {
    const auto made = [&](std::int64_t columns) {
      return torch::empty({op->plan.steps.rows, columns}, rows.options());
    };
    const auto inner = static_cast<std::int64_t>(op->plan.shape.inner_stride);
    const Tensor gates = made(op->plan.columns()), hidden = made(op->plan.hidden());
    const Tensor cell =
        op->plan.lstm() ? made(op->plan.hidden()) : torch::empty({0}, rows.options());
    const Tensor kept = made(inner), log_p = made(op->plan.levels()),
                 soft = made(op->plan.levels()), taken = made(op->plan.levels());
    const tensor_list saved = {rows,
                               weight_ih.contiguous(),
                               weight_hh.contiguous(),
                               bias.contiguous(),
                               bias_hn,
                               decision_cell,
                               decision_scale,
                               gates,
                               kept,
                               hidden,
                               cell,
                               log_p,
                               soft,
                               taken};
    if (rows.scalar_type() == torch::kFloat)
      FusedRecurrence<float>(op->plan, make_arrays<float>(*op, saved)).forward();
    else
      FusedRecurrence<double>(op->plan, make_arrays<double>(*op, saved)).forward();
    ctx->saved_data["op"] = c10::IValue::make_capsule(op);
    ctx->save_for_backward(saved);
    if (!op->plan.decides()) return {hidden};
    ctx->mark_non_differentiable({taken});
    return {hidden, log_p, taken};
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& outputs) {
    const auto capsule = ctx->saved_data["op"].toCapsule();
    const auto& op = static_cast<const OpContext&>(*capsule);
    const tensor_list saved = ctx->get_saved_variables();
    return saved[0].scalar_type() == torch::kFloat
               ? compute_gradients<float>(op, saved, outputs, ctx->needs_input_grad(0))
               : compute_gradients<double>(op, saved, outputs, ctx->needs_input_grad(0));
  }

 private:
  template <class T>
  static Arrays<T> make_arrays(const OpContext& op, const tensor_list& saved) {
    Arrays<T> arrays;
    arrays.rows = view<const T>(saved[0]);
    arrays.width = saved[0].size(1);
    arrays.weight_ih = view<const T>(saved[1]);
    arrays.weight_hh = view<const T>(saved[2]);
    arrays.bias = view<const T>(saved[3]);
    arrays.bias_hn = view<const T>(saved[4]);
    arrays.decision_cell = view<const T>(saved[5]);
    arrays.decision_scale = view<const T>(saved[6]);
    arrays.gates = view<T>(saved[7]);
    arrays.inner = view<T>(saved[8]);
    arrays.hidden = view<T>(saved[9]);
    arrays.cell = view<T>(saved[10]);
    arrays.log_p = view<T>(saved[11]);
    arrays.soft = view<T>(saved[12]);
    arrays.taken = view<T>(saved[13]);
    arrays.noise = view<const T>(op.noise);
    return arrays;
  }

  template <class T>
  static tensor_list compute_gradients(const OpContext& op, const tensor_list& saved,
                                       const tensor_list& outputs, bool wants_rows) {
    const auto contiguous = [&](std::size_t index) {
      return index < outputs.size() && outputs[index].defined() ? outputs[index].contiguous()
                                                                : Tensor();
    };
    const Tensor d_hidden = contiguous(0), d_log_p = contiguous(1);
    const Tensor state_gates = op.plan.gru() ? torch::empty_like(saved[7]) : Tensor();
    const Tensor d_rows = wants_rows ? torch::zeros_like(saved[0]) : Tensor();
    tensor_list made;
    for (std::size_t i = 1; i <= 6; ++i) made.push_back(torch::zeros_like(saved[i]));
    typename FusedRecurrence<T>::Gradients out;
    out.hidden = view<const T>(d_hidden);
    out.log_p = view<const T>(d_log_p);
    out.state_gates = view<T>(state_gates);
    out.rows = view<T>(d_rows);
    out.weight_ih = view<T>(made[0]);
    out.weight_hh = view<T>(made[1]);
    out.bias = view<T>(made[2]);
    out.bias_hn = view<T>(made[3]);
    out.decision_cell = view<T>(made[4]);
    out.scale = view<T>(made[5]);
    FusedRecurrence<T>(op.plan, make_arrays<T>(op, saved)).backward(out);
    return {d_rows, made[0], made[1], made[2], made[3], made[4], made[5], Tensor()};
  }
};

}  // namespace

SoftShape make_soft_shape(const ReaderSpec& spec) {
  SoftShape shape;
  shape.cell = spec.cell;
  shape.hidden = static_cast<std::size_t>(spec.hidden_size);
  shape.levels = spec.kind == ReaderKind::dense ? 1 : static_cast<std::size_t>(spec.levels());
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

RecurrentOutput recurrent_fused(const SoftShape& shape, const PackedSteps& steps,
                                const Tensor& rows, const StackedWeights& weights,
                                const MixOptions& options) {
  set_blas_threads(1);
  auto op = c10::make_intrusive<OpContext>();
  op->plan = {shape, steps, options.mix, options.temperature, options.threshold, options.threads};
  if (options.noise.defined()) op->noise = options.noise.contiguous();
  const tensor_list out = ReadFunction::apply(
      rows.contiguous(), weights.weight_ih, weights.weight_hh, weights.bias,
      empty_if_undefined(weights.bias_hn, rows), empty_if_undefined(weights.decision_cell, rows),
      empty_if_undefined(weights.decision_scale, rows), op);
  if (!op->plan.decides()) return {out[0], {}, {}};
  return {out[0], out[1], out[2]};
}

}  // namespace skim::train
