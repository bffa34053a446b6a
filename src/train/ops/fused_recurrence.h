// The fused operation on plain arrays: forward and backward pass over a packed batch.
// ops/recurrent.cpp wraps it for autograd.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/training/soft_step.h"
#include "train/ops/gemm.h"
#include "train/ops/packed_steps.h"
#include "train/ops/parallel.h"
#include "train/torch.h"

namespace skim::train {

// Texts that go through the steps together, and rows of one product. Sums are added chunk by chunk,
// so these sizes are part of the results and do not depend on the number of threads.
inline constexpr std::int64_t kTextsPerChunk = 32;
inline constexpr std::int64_t kRowsPerChunk = 4096;

// The layout of the batch and the mixture.
struct RecurrencePlan {
  SoftShape shape;
  PackedSteps steps;
  Mix mix = Mix::soft;
  double temperature = 1, threshold = 0.5;
  int threads = 1;

  std::int64_t hidden() const { return static_cast<std::int64_t>(shape.hidden); }
  std::int64_t levels() const { return static_cast<std::int64_t>(shape.levels); }
  std::int64_t logits() const { return static_cast<std::int64_t>(shape.logits); }
  std::int64_t columns() const { return static_cast<std::int64_t>(shape.gate_stride); }
  bool decides() const { return shape.levels > 1; }
  bool gru() const { return shape.cell == Cell::gru; }
  bool lstm() const { return shape.cell == Cell::lstm; }
};

// The arrays of one pass.
template <class T>
struct Arrays {
  View<const T> rows, weight_ih, weight_hh, bias, bias_hn, decision_cell, decision_scale, noise;
  View<T> gates, inner, hidden, cell, log_p, soft, taken;
  std::int64_t width = 0;  // of rows
};

template <class T>
class FusedRecurrence {
 public:
  FusedRecurrence(const RecurrencePlan& plan, const Arrays<T>& arrays)
      : plan_(plan),
        arrays_(arrays),
        zeros_(static_cast<std::size_t>(plan.hidden() * kTextsPerChunk), T{0}) {}

  void forward() {
    parallel_chunks(plan_.threads, plan_.steps.rows, kRowsPerChunk,
                    [&](auto, std::int64_t first, std::int64_t last) {
                      for (std::int64_t row = first; row < last; ++row)
                        std::copy_n(arrays_.bias.data, plan_.columns(), arrays_.gates.row(row));
                      gemm({false, true}, last - first, plan_.columns(), arrays_.width,
                           arrays_.rows.from(first), arrays_.weight_ih, T{1},
                           arrays_.gates.from(first));
                    });
    parallel_chunks(
        plan_.threads, plan_.steps.texts(), kTextsPerChunk,
        [&](auto, std::int64_t first, std::int64_t last) { forward_texts(first, last); });
  }

  struct Gradients {
    View<const T> hidden, log_p;  // of the outputs; may be null
    View<T> state_gates;          // GRU
    View<T> rows;                 // null when not needed
    View<T> weight_ih, weight_hh, bias, decision_cell, scale, bias_hn;  // initially zero
  };

  // Overwrites the gates with the gradients of their pre-activations.
  void backward(const Gradients& out) {
    const std::int64_t parts = (plan_.steps.texts() + kTextsPerChunk - 1) / kTextsPerChunk;
    std::vector<std::vector<T>> scales(static_cast<std::size_t>(parts),
                                       std::vector<T>(plan_.shape.levels, T{0}));
    parallel_chunks(plan_.threads, plan_.steps.texts(), kTextsPerChunk,
                    [&](std::int64_t part, std::int64_t first, std::int64_t last) {
                      backward_texts(first, last, out, scales[static_cast<std::size_t>(part)]);
                    });
    for (const auto& scale : scales) {
      for (std::size_t l = 0; out.scale.data != nullptr && l < scale.size(); ++l)
        out.scale.data[l] += scale[l];
    }
    weight_gradients(out);
    if (out.rows.data == nullptr) return;
    // The dot decision has added its part already.
    const T beta = arrays_.decision_scale.data != nullptr ? T{1} : T{0};
    parallel_chunks(plan_.threads, plan_.steps.rows, kRowsPerChunk,
                    [&](auto, std::int64_t first, std::int64_t last) {
                      gemm({}, last - first, arrays_.width, plan_.columns(),
                           as_const(arrays_.gates.from(first)), arrays_.weight_ih, beta,
                           out.rows.from(first));
                    });
  }

 private:
  static View<const T> as_const(View<T> view) { return {view.data, view.stride}; }

  // The rows of step t of texts `first` to `last` - 1.
  struct StepRows {
    std::int64_t row, before, count;  // first row now and one step earlier; how many
  };
  StepRows rows_of_step(std::int64_t t, std::int64_t first, std::int64_t last) const {
    const std::int64_t end = std::min(last, plan_.steps.size(t));
    return {plan_.steps.offset(t) + first, t == 0 ? 0 : plan_.steps.offset(t - 1) + first,
            std::max<std::int64_t>(0, end - first)};
  }

  SoftStep<T> step_at(std::int64_t t, const StepRows& at) const {
    SoftStep<T> step;
    step.shape = &plan_.shape;
    step.mix = plan_.mix;
    step.temperature = static_cast<T>(plan_.temperature);
    step.threshold = static_cast<T>(plan_.threshold);
    step.gates = arrays_.gates.row(at.row);
    step.inner_bias = arrays_.bias_hn.data;
    const auto row = [&](auto view, std::int64_t index) {
      return view.data == nullptr ? nullptr : view.row(index);
    };
    step.inner = row(arrays_.inner, at.row);
    step.hidden = arrays_.hidden.row(at.row);
    step.cell = row(arrays_.cell, at.row);
    step.hidden_before = t == 0 ? zeros_.data() : arrays_.hidden.row(at.before);
    if (plan_.lstm()) step.cell_before = t == 0 ? zeros_.data() : arrays_.cell.row(at.before);
    step.noise = row(arrays_.noise, at.row);
    step.log_p = row(arrays_.log_p, at.row);
    step.soft = row(arrays_.soft, at.row);
    step.taken = row(arrays_.taken, at.row);
    return step;
  }

  void forward_texts(std::int64_t first, std::int64_t last) const {
    std::vector<T> state(plan_.gru() ? static_cast<std::size_t>((last - first) * plan_.columns())
                                     : 0);
    for (std::int64_t t = 0; t < plan_.steps.count(); ++t) {
      const StepRows at = rows_of_step(t, first, last);
      if (at.count == 0) return;
      SoftStep<T> step = step_at(t, at);
      if (plan_.gru()) step.state_gates = state.data();
      if (t > 0) add_recurrent_term(at, state);
      soft_forward(step, 0, static_cast<std::size_t>(at.count));
    }
  }

  void add_recurrent_term(const StepRows& at, std::vector<T>& state) const {
    const View<const T> before = as_const(arrays_.hidden.from(at.before));
    const View<T> into =
        plan_.gru() ? View<T>{state.data(), plan_.columns()} : arrays_.gates.from(at.row);
    gemm({false, true}, at.count, plan_.columns(), plan_.hidden(), before, arrays_.weight_hh,
         plan_.gru() ? T{0} : T{1}, into);
    if (arrays_.decision_cell.data != nullptr) {
      gemm({false, true}, at.count, plan_.levels(), plan_.hidden(),
           as_const(arrays_.cell.from(at.before)), arrays_.decision_cell, T{1},
           {arrays_.gates.row(at.row) + plan_.logits(), plan_.columns()});
    }
    if (arrays_.decision_scale.data == nullptr) return;
    for (std::int64_t i = 0; i < at.count; ++i) {
      const T dot = dot_at(at, i);
      T* logits = arrays_.gates.row(at.row + i) + plan_.logits();
      for (std::int64_t l = 0; l < plan_.levels(); ++l)
        logits[l] += arrays_.decision_scale.data[l] * dot;
    }
  }

  std::int64_t dot_size() const { return std::min(arrays_.width, plan_.hidden()); }
  T dot_at(const StepRows& at, std::int64_t i) const {
    const T* x = arrays_.rows.row(at.row + i);
    const T* h = arrays_.hidden.row(at.before + i);
    T sum = 0;
    for (std::int64_t j = 0; j < dot_size(); ++j) sum += x[j] * h[j];
    return sum;
  }

  void backward_texts(std::int64_t first, std::int64_t last, const Gradients& out,
                      std::vector<T>& d_scale) const {
    const auto size = static_cast<std::size_t>((last - first) * plan_.hidden());
    std::vector<T> carried(size, T{0}), now(size), cell(size, T{0}), cell_before(size, T{0});
    for (std::int64_t t = plan_.steps.count() - 1; t >= 0; --t) {
      const StepRows at = rows_of_step(t, first, last);
      if (at.count == 0) continue;
      const auto values = static_cast<std::size_t>(at.count * plan_.hidden());
      std::copy_n(carried.begin(), values, now.begin());
      if (out.hidden.data != nullptr) {
        const T* from = out.hidden.row(at.row);
        for (std::size_t i = 0; i < values; ++i) now[i] += from[i];
      }
      SoftGradients<T> gradients;
      gradients.hidden = now.data();
      gradients.hidden_before = carried.data();
      if (plan_.lstm()) {
        gradients.cell = cell.data();
        gradients.cell_before = cell_before.data();
      }
      if (out.log_p.data != nullptr) gradients.log_p = out.log_p.row(at.row);
      if (plan_.gru()) gradients.state_gates = out.state_gates.row(at.row);
      soft_backward(step_at(t, at), gradients, 0, static_cast<std::size_t>(at.count));
      if (t == 0) break;
      const View<const T> d_gates =
          as_const(plan_.gru() ? out.state_gates.from(at.row) : arrays_.gates.from(at.row));
      gemm({}, at.count, plan_.hidden(), plan_.columns(), d_gates, arrays_.weight_hh, T{1},
           {carried.data(), plan_.hidden()});
      if (arrays_.decision_cell.data != nullptr) {
        gemm({}, at.count, plan_.hidden(), plan_.levels(),
             {arrays_.gates.row(at.row) + plan_.logits(), plan_.columns()}, arrays_.decision_cell,
             T{1}, {cell_before.data(), plan_.hidden()});
      }
      if (arrays_.decision_scale.data != nullptr) dot_backward(at, out, carried, d_scale);
      std::swap(cell, cell_before);
    }
  }

  void dot_backward(const StepRows& at, const Gradients& out, std::vector<T>& carried,
                    std::vector<T>& d_scale) const {
    for (std::int64_t i = 0; i < at.count; ++i) {
      const T* d_logits = arrays_.gates.row(at.row + i) + plan_.logits();
      const T dot = dot_at(at, i);
      T d_dot = 0;
      for (std::size_t l = 0; l < plan_.shape.levels; ++l) {
        d_dot += d_logits[l] * arrays_.decision_scale.data[l];
        d_scale[l] += d_logits[l] * dot;
      }
      T* d_hidden = carried.data() + i * plan_.hidden();
      for (std::int64_t j = 0; j < dot_size(); ++j) {
        d_hidden[j] += d_dot * arrays_.rows.row(at.row + i)[j];
        if (out.rows.data != nullptr)
          out.rows.row(at.row + i)[j] += d_dot * arrays_.hidden.row(at.before + i)[j];
      }
    }
  }

  // The gradients of the weights: large products over chunks of rows, added in order.
  void weight_gradients(const Gradients& out) const {
    const std::int64_t columns = plan_.columns(), d = plan_.hidden(), k = plan_.levels();
    const bool has_cell = arrays_.decision_cell.data != nullptr;
    const std::int64_t parts = (plan_.steps.rows + kRowsPerChunk - 1) / kRowsPerChunk;
    struct Part {
      std::vector<T> weight_ih, weight_hh, bias, cell, bias_hn;
    };
    std::vector<Part> sums(static_cast<std::size_t>(parts));
    parallel_chunks(plan_.threads, plan_.steps.rows, kRowsPerChunk,
                    [&](std::int64_t index, std::int64_t first, std::int64_t last) {
                      Part& part = sums[static_cast<std::size_t>(index)];
                      const std::int64_t count = last - first;
                      const View<const T> d_gates = as_const(arrays_.gates.from(first));
                      const View<const T> d_state =
                          plan_.gru() ? as_const(out.state_gates.from(first)) : d_gates;
                      part.weight_ih.resize(static_cast<std::size_t>(columns * arrays_.width));
                      gemm({true, false}, columns, arrays_.width, count, d_gates,
                           arrays_.rows.from(first), T{0}, {part.weight_ih.data(), arrays_.width});
                      const std::vector<T> before = states_before(arrays_.hidden, first, last);
                      part.weight_hh.resize(static_cast<std::size_t>(columns * d));
                      gemm({true, false}, columns, d, count, d_state, {before.data(), d}, T{0},
                           {part.weight_hh.data(), d});
                      if (has_cell) {
                        const std::vector<T> cell = states_before(arrays_.cell, first, last);
                        part.cell.resize(static_cast<std::size_t>(k * d));
                        gemm({true, false}, k, d, count, {d_gates.data + plan_.logits(), columns},
                             {cell.data(), d}, T{0}, {part.cell.data(), d});
                      }
                      part.bias = column_sums(d_gates, count);
                      if (plan_.gru()) part.bias_hn = column_sums(d_state, count);
                    });
    const auto add = [](const std::vector<T>& from, View<T> into) {
      for (std::size_t i = 0; i < from.size(); ++i) into.data[i] += from[i];
    };
    for (const Part& part : sums) {
      add(part.weight_ih, out.weight_ih);
      add(part.weight_hh, out.weight_hh);
      add(part.bias, out.bias);
      if (has_cell) add(part.cell, out.decision_cell);
      if (plan_.gru()) add_bias_hn(part.bias_hn, out.bias_hn);
    }
  }

  std::vector<T> column_sums(View<const T> values, std::int64_t count) const {
    std::vector<T> sums(static_cast<std::size_t>(plan_.columns()), T{0});
    for (std::int64_t row = 0; row < count; ++row) {
      const T* from = values.row(row);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += from[i];
    }
    return sums;
  }

  // bias_hn belongs to the recurrent term of the third gate of each level.
  void add_bias_hn(const std::vector<T>& sums, View<T> into) const {
    for (std::size_t l = 0; l < plan_.shape.levels; ++l) {
      const SoftLevel& level = plan_.shape.level[l];
      for (std::size_t i = 0; i < level.units; ++i)
        into.data[level.inner + i] += sums[level.gates + 2 * level.units + i];
    }
  }

  // The state before each of the packed rows `first` to `last` - 1; zero before a text begins.
  std::vector<T> states_before(View<T> states, std::int64_t first, std::int64_t last) const {
    const std::int64_t d = plan_.hidden();
    std::vector<T> before(static_cast<std::size_t>((last - first) * d), T{0});
    const auto& offsets = plan_.steps.offsets;
    std::int64_t t = std::upper_bound(offsets.begin(), offsets.end(), first) - offsets.begin() - 1;
    for (std::int64_t row = first; row < last; ++t) {
      const std::int64_t end = std::min(last, plan_.steps.offset(t) + plan_.steps.size(t));
      if (t > 0) {
        const std::int64_t from = plan_.steps.offset(t - 1) + (row - plan_.steps.offset(t));
        std::copy_n(states.row(from), (end - row) * d, before.data() + (row - first) * d);
      }
      row = end;
    }
    return before;
  }

  const RecurrencePlan& plan_;
  Arrays<T> arrays_;
  std::vector<T> zeros_;
};

}  // namespace skim::train
