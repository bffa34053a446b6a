#include "train/ops/recurrent.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "spec/params.h"
#include "train/ops/product.h"

namespace skim::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Texts that go through the steps together, and rows that one product takes. The numbers are part
// of the results (sums are added up part by part), so they do not depend on the threads.
constexpr std::int64_t kTextsAPart = 32;
constexpr std::int64_t kRowsAPart = 4096;

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
  std::int64_t columns() const { return static_cast<std::int64_t>(shape.gate_stride); }
  bool decides() const { return shape.levels > 1; }
  bool gru() const { return shape.cell == Cell::gru; }
  bool lstm() const { return shape.cell == Cell::lstm; }
};

// Autograd takes no undefined tensors: what is not there is empty.
Tensor or_empty(const Tensor& tensor, const Tensor& like) {
  return tensor.defined() ? tensor : torch::empty({0}, like.options());
}

template <class T>
View<T> view(const Tensor& tensor) {
  if (!tensor.defined() || tensor.numel() == 0) return {};
  return {tensor.data_ptr<std::remove_const_t<T>>(), tensor.dim() == 1 ? 1 : tensor.size(1)};
}

// part(first, last) for stretches of at most `size`.
template <class F>
void in_parts(std::int64_t count, std::int64_t size, F part) {
  const std::int64_t parts = (count + size - 1) / size;
  at::parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) part(i, i * size, std::min(count, (i + 1) * size));
  });
}

// All arrays of one reading.
template <class T>
struct Arrays {
  View<const T> rows, w, u, b, inner_bias, decision_cell, decision_scale, noise;
  View<T> gates, inner, hidden, cell, log_p, soft, taken;
  std::int64_t width = 0;  // of rows
};

template <class T>
class Reading {
 public:
  Reading(const OpContext& op, const Arrays<T>& arrays)
      : op_(op),
        arrays_(arrays),
        zeros_(static_cast<std::size_t>(op.hidden() * kTextsAPart), T{0}) {}

  void forward() {
    in_parts(op_.steps.rows, kRowsAPart, [&](auto, std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row)
        std::copy_n(arrays_.b.data, op_.columns(), arrays_.gates.row(row));
      product({false, true}, last - first, op_.columns(), arrays_.width, arrays_.rows.from(first),
              arrays_.w, T{1}, arrays_.gates.from(first));
    });
    in_parts(op_.steps.texts(), kTextsAPart,
             [&](auto, std::int64_t first, std::int64_t last) { forward_texts(first, last); });
  }

  struct Gradients {
    View<const T> hidden, log_p;                        // from outside; may be null
    View<T> state_gates;                                // GRU
    View<T> rows;                                       // null when not wanted
    View<T> w, u, b, decision_cell, scale, inner_bias;  // zero at first
  };

  // Leaves the gradients of the gates' sums where the gates were.
  void backward(const Gradients& out) {
    const std::int64_t parts = (op_.steps.texts() + kTextsAPart - 1) / kTextsAPart;
    std::vector<std::vector<T>> scales(static_cast<std::size_t>(parts),
                                       std::vector<T>(op_.shape.levels, T{0}));
    in_parts(op_.steps.texts(), kTextsAPart,
             [&](std::int64_t part, std::int64_t first, std::int64_t last) {
               backward_texts(first, last, out, scales[static_cast<std::size_t>(part)]);
             });
    for (const auto& scale : scales) {
      for (std::size_t l = 0; out.scale.data != nullptr && l < scale.size(); ++l)
        out.scale.data[l] += scale[l];
    }
    weight_gradients(out);
    if (out.rows.data == nullptr) return;
    // What the dot decision added is there already.
    const T beta = arrays_.decision_scale.data != nullptr ? T{1} : T{0};
    in_parts(op_.steps.rows, kRowsAPart, [&](auto, std::int64_t first, std::int64_t last) {
      product({}, last - first, arrays_.width, op_.columns(), as_const(arrays_.gates.from(first)),
              arrays_.w, beta, out.rows.from(first));
    });
  }

 private:
  static View<const T> as_const(View<T> view) { return {view.data, view.stride}; }

  // Rows of step t that belong to texts `first` to `last` - 1.
  struct Stretch {
    std::int64_t row, before, count;  // first row now and one step earlier; how many
  };
  Stretch stretch(std::int64_t t, std::int64_t first, std::int64_t last) const {
    const std::int64_t end = std::min(last, op_.steps.size(t));
    return {op_.steps.offset(t) + first, t == 0 ? 0 : op_.steps.offset(t - 1) + first,
            std::max<std::int64_t>(0, end - first)};
  }

  SoftStep<T> step_at(std::int64_t t, const Stretch& at) const {
    SoftStep<T> step;
    step.shape = &op_.shape;
    step.mix = op_.mix;
    step.temperature = static_cast<T>(op_.temperature);
    step.threshold = static_cast<T>(op_.threshold);
    step.gates = arrays_.gates.row(at.row);
    step.inner_bias = arrays_.inner_bias.data;
    const auto row = [&](auto view, std::int64_t index) {
      return view.data == nullptr ? nullptr : view.row(index);
    };
    step.inner = row(arrays_.inner, at.row);
    step.hidden = arrays_.hidden.row(at.row);
    step.cell = row(arrays_.cell, at.row);
    step.hidden_before = t == 0 ? zeros_.data() : arrays_.hidden.row(at.before);
    if (op_.lstm()) step.cell_before = t == 0 ? zeros_.data() : arrays_.cell.row(at.before);
    step.noise = row(arrays_.noise, at.row);
    step.log_p = row(arrays_.log_p, at.row);
    step.soft = row(arrays_.soft, at.row);
    step.taken = row(arrays_.taken, at.row);
    return step;
  }

  void forward_texts(std::int64_t first, std::int64_t last) const {
    std::vector<T> state(op_.gru() ? static_cast<std::size_t>((last - first) * op_.columns()) : 0);
    for (std::int64_t t = 0; t < op_.steps.count(); ++t) {
      const Stretch at = stretch(t, first, last);
      if (at.count == 0) return;
      SoftStep<T> step = step_at(t, at);
      if (op_.gru()) step.state_gates = state.data();
      if (t > 0) add_state(at, state);
      soft_forward(step, 0, static_cast<std::size_t>(at.count));
    }
  }

  void add_state(const Stretch& at, std::vector<T>& state) const {
    const View<const T> before = as_const(arrays_.hidden.from(at.before));
    const View<T> into =
        op_.gru() ? View<T>{state.data(), op_.columns()} : arrays_.gates.from(at.row);
    product({false, true}, at.count, op_.columns(), op_.hidden(), before, arrays_.u,
            op_.gru() ? T{0} : T{1}, into);
    if (arrays_.decision_cell.data != nullptr) {
      product({false, true}, at.count, op_.levels(), op_.hidden(),
              as_const(arrays_.cell.from(at.before)), arrays_.decision_cell, T{1},
              {arrays_.gates.row(at.row) + op_.logits(), op_.columns()});
    }
    if (arrays_.decision_scale.data == nullptr) return;
    for (std::int64_t i = 0; i < at.count; ++i) {
      const T dot = dot_at(at, i);
      T* logits = arrays_.gates.row(at.row + i) + op_.logits();
      for (std::int64_t l = 0; l < op_.levels(); ++l)
        logits[l] += arrays_.decision_scale.data[l] * dot;
    }
  }

  std::int64_t dot_width() const { return std::min(arrays_.width, op_.hidden()); }
  T dot_at(const Stretch& at, std::int64_t i) const {
    const T* x = arrays_.rows.row(at.row + i);
    const T* h = arrays_.hidden.row(at.before + i);
    T sum = 0;
    for (std::int64_t j = 0; j < dot_width(); ++j) sum += x[j] * h[j];
    return sum;
  }

  void backward_texts(std::int64_t first, std::int64_t last, const Gradients& out,
                      std::vector<T>& d_scale) const {
    const auto size = static_cast<std::size_t>((last - first) * op_.hidden());
    std::vector<T> carried(size, T{0}), now(size), cell(size, T{0}), cell_before(size, T{0});
    for (std::int64_t t = op_.steps.count() - 1; t >= 0; --t) {
      const Stretch at = stretch(t, first, last);
      if (at.count == 0) continue;
      const auto values = static_cast<std::size_t>(at.count * op_.hidden());
      std::copy_n(carried.begin(), values, now.begin());
      if (out.hidden.data != nullptr) {
        const T* from = out.hidden.row(at.row);
        for (std::size_t i = 0; i < values; ++i) now[i] += from[i];
      }
      SoftGradients<T> gradients;
      gradients.hidden = now.data();
      gradients.hidden_before = carried.data();
      if (op_.lstm()) {
        gradients.cell = cell.data();
        gradients.cell_before = cell_before.data();
      }
      if (out.log_p.data != nullptr) gradients.log_p = out.log_p.row(at.row);
      if (op_.gru()) gradients.state_gates = out.state_gates.row(at.row);
      soft_backward(step_at(t, at), gradients, 0, static_cast<std::size_t>(at.count));
      if (t == 0) break;
      const View<const T> d_gates =
          as_const(op_.gru() ? out.state_gates.from(at.row) : arrays_.gates.from(at.row));
      product({}, at.count, op_.hidden(), op_.columns(), d_gates, arrays_.u, T{1},
              {carried.data(), op_.hidden()});
      if (arrays_.decision_cell.data != nullptr) {
        product({}, at.count, op_.hidden(), op_.levels(),
                {arrays_.gates.row(at.row) + op_.logits(), op_.columns()}, arrays_.decision_cell,
                T{1}, {cell_before.data(), op_.hidden()});
      }
      if (arrays_.decision_scale.data != nullptr) dot_backward(at, out, carried, d_scale);
      std::swap(cell, cell_before);
    }
  }

  void dot_backward(const Stretch& at, const Gradients& out, std::vector<T>& carried,
                    std::vector<T>& d_scale) const {
    for (std::int64_t i = 0; i < at.count; ++i) {
      const T* d_logits = arrays_.gates.row(at.row + i) + op_.logits();
      const T dot = dot_at(at, i);
      T d_dot = 0;
      for (std::size_t l = 0; l < op_.shape.levels; ++l) {
        d_dot += d_logits[l] * arrays_.decision_scale.data[l];
        d_scale[l] += d_logits[l] * dot;
      }
      T* d_hidden = carried.data() + i * op_.hidden();
      for (std::int64_t j = 0; j < dot_width(); ++j) {
        d_hidden[j] += d_dot * arrays_.rows.row(at.row + i)[j];
        if (out.rows.data != nullptr)
          out.rows.row(at.row + i)[j] += d_dot * arrays_.hidden.row(at.before + i)[j];
      }
    }
  }

  // Large products over stretches of rows, added up in order.
  void weight_gradients(const Gradients& out) const {
    const std::int64_t columns = op_.columns(), d = op_.hidden(), k = op_.levels();
    const bool has_cell = arrays_.decision_cell.data != nullptr;
    const std::int64_t parts = (op_.steps.rows + kRowsAPart - 1) / kRowsAPart;
    struct Part {
      std::vector<T> w, u, b, cell, inner_bias;
    };
    std::vector<Part> sums(static_cast<std::size_t>(parts));
    in_parts(
        op_.steps.rows, kRowsAPart, [&](std::int64_t index, std::int64_t first, std::int64_t last) {
          Part& part = sums[static_cast<std::size_t>(index)];
          const std::int64_t count = last - first;
          const View<const T> d_gates = as_const(arrays_.gates.from(first));
          const View<const T> d_state = op_.gru() ? as_const(out.state_gates.from(first)) : d_gates;
          part.w.resize(static_cast<std::size_t>(columns * arrays_.width));
          product({true, false}, columns, arrays_.width, count, d_gates, arrays_.rows.from(first),
                  T{0}, {part.w.data(), arrays_.width});
          const std::vector<T> before = states_before(arrays_.hidden, first, last);
          part.u.resize(static_cast<std::size_t>(columns * d));
          product({true, false}, columns, d, count, d_state, {before.data(), d}, T{0},
                  {part.u.data(), d});
          if (has_cell) {
            const std::vector<T> cell = states_before(arrays_.cell, first, last);
            part.cell.resize(static_cast<std::size_t>(k * d));
            product({true, false}, k, d, count, {d_gates.data + op_.logits(), columns},
                    {cell.data(), d}, T{0}, {part.cell.data(), d});
          }
          part.b = column_sums(d_gates, count);
          if (op_.gru()) part.inner_bias = column_sums(d_state, count);
        });
    const auto add = [](const std::vector<T>& from, View<T> into) {
      for (std::size_t i = 0; i < from.size(); ++i) into.data[i] += from[i];
    };
    for (const Part& part : sums) {
      add(part.w, out.w);
      add(part.u, out.u);
      add(part.b, out.b);
      if (has_cell) add(part.cell, out.decision_cell);
      if (op_.gru()) add_inner_bias(part.inner_bias, out.inner_bias);
    }
  }

  std::vector<T> column_sums(View<const T> values, std::int64_t count) const {
    std::vector<T> sums(static_cast<std::size_t>(op_.columns()), T{0});
    for (std::int64_t row = 0; row < count; ++row) {
      const T* from = values.row(row);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += from[i];
    }
    return sums;
  }

  // The bias stands beside the state's part of the third gate of each level.
  void add_inner_bias(const std::vector<T>& sums, View<T> into) const {
    for (std::size_t l = 0; l < op_.shape.levels; ++l) {
      const SoftLevel& level = op_.shape.level[l];
      for (std::size_t i = 0; i < level.units; ++i)
        into.data[level.inner + i] += sums[level.gates + 2 * level.units + i];
    }
  }

  // The state before each of the packed rows `first` to `last` - 1; zero before a text begins.
  std::vector<T> states_before(View<T> states, std::int64_t first, std::int64_t last) const {
    const std::int64_t d = op_.hidden();
    std::vector<T> before(static_cast<std::size_t>((last - first) * d), T{0});
    const auto& offsets = op_.steps.offsets;
    std::int64_t t = std::upper_bound(offsets.begin(), offsets.end(), first) - offsets.begin() - 1;
    for (std::int64_t row = first; row < last; ++t) {
      const std::int64_t end = std::min(last, op_.steps.offset(t) + op_.steps.size(t));
      if (t > 0) {
        const std::int64_t from = op_.steps.offset(t - 1) + (row - op_.steps.offset(t));
        std::copy_n(states.row(from), (end - row) * d, before.data() + (row - first) * d);
      }
      row = end;
    }
    return before;
  }

  const OpContext& op_;
  Arrays<T> arrays_;
  std::vector<T> zeros_;
};

class ReadFunction : public torch::autograd::Function<ReadFunction> {
 public:
  static tensor_list forward(AutogradContext* ctx, const Tensor& rows, const Tensor& w,
                             const Tensor& u, const Tensor& b, const Tensor& inner_bias,
                             const Tensor& decision_cell, const Tensor& decision_scale,
                             const c10::intrusive_ptr<OpContext>& op) {
    const auto made = [&](std::int64_t columns) {
      return torch::empty({op->steps.rows, columns}, rows.options());
    };
    const auto inner = static_cast<std::int64_t>(op->shape.inner_stride);
    const Tensor gates = made(op->columns()), hidden = made(op->hidden());
    const Tensor cell = op->lstm() ? made(op->hidden()) : torch::empty({0}, rows.options());
    const Tensor kept = made(inner), log_p = made(op->levels()), soft = made(op->levels()),
                 taken = made(op->levels());
    const tensor_list saved = {rows,       w.contiguous(), u.contiguous(), b.contiguous(),
                               inner_bias, decision_cell,  decision_scale, gates,
                               kept,       hidden,         cell,           log_p,
                               soft,       taken};
    if (rows.scalar_type() == torch::kFloat)
      Reading<float>(*op, arrays_of<float>(*op, saved)).forward();
    else
      Reading<double>(*op, arrays_of<double>(*op, saved)).forward();
    ctx->saved_data["op"] = c10::IValue::make_capsule(op);
    ctx->save_for_backward(saved);
    if (!op->decides()) return {hidden};
    ctx->mark_non_differentiable({taken});
    return {hidden, log_p, taken};
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& outputs) {
    const auto capsule = ctx->saved_data["op"].toCapsule();
    const auto& op = static_cast<const OpContext&>(*capsule);
    const tensor_list saved = ctx->get_saved_variables();
    return saved[0].scalar_type() == torch::kFloat
               ? gradients_of<float>(op, saved, outputs, ctx->needs_input_grad(0))
               : gradients_of<double>(op, saved, outputs, ctx->needs_input_grad(0));
  }

 private:
  template <class T>
  static Arrays<T> arrays_of(const OpContext& op, const tensor_list& saved) {
    Arrays<T> arrays;
    arrays.rows = view<const T>(saved[0]);
    arrays.width = saved[0].size(1);
    arrays.w = view<const T>(saved[1]);
    arrays.u = view<const T>(saved[2]);
    arrays.b = view<const T>(saved[3]);
    arrays.inner_bias = view<const T>(saved[4]);
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
  static tensor_list gradients_of(const OpContext& op, const tensor_list& saved,
                                  const tensor_list& outputs, bool wants_rows) {
    const auto contiguous = [&](std::size_t index) {
      return index < outputs.size() && outputs[index].defined() ? outputs[index].contiguous()
                                                                : Tensor();
    };
    const Tensor d_hidden = contiguous(0), d_log_p = contiguous(1);
    const Tensor state_gates = op.gru() ? torch::empty_like(saved[7]) : Tensor();
    const Tensor d_rows = wants_rows ? torch::zeros_like(saved[0]) : Tensor();
    tensor_list made;
    for (std::size_t i = 1; i <= 6; ++i) made.push_back(torch::zeros_like(saved[i]));
    typename Reading<T>::Gradients out;
    out.hidden = view<const T>(d_hidden);
    out.log_p = view<const T>(d_log_p);
    out.state_gates = view<T>(state_gates);
    out.rows = view<T>(d_rows);
    out.w = view<T>(made[0]);
    out.u = view<T>(made[1]);
    out.b = view<T>(made[2]);
    out.inner_bias = view<T>(made[3]);
    out.decision_cell = view<T>(made[4]);
    out.scale = view<T>(made[5]);
    Reading<T>(op, arrays_of<T>(op, saved)).backward(out);
    return {d_rows, made[0], made[1], made[2], made[3], made[4], made[5], Tensor()};
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
  use_threads_a_product(1);
  auto op = c10::make_intrusive<OpContext>();
  op->shape = shape;
  op->steps = steps;
  op->mix = choice.mix;
  op->temperature = choice.temperature;
  op->threshold = choice.threshold;
  if (choice.noise.defined()) op->noise = choice.noise.contiguous();
  const tensor_list out = ReadFunction::apply(
      rows.contiguous(), weights.w, weights.u, weights.b, or_empty(weights.inner_bias, rows),
      or_empty(weights.decision_cell, rows), or_empty(weights.decision_scale, rows), op);
  if (!op->decides()) return {out[0], {}, {}};
  return {out[0], out[1], out[2]};
}

}  // namespace skim::train
