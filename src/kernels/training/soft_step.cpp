#include "kernels/training/soft_step.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/training/soft_step.cpp"
#include "kernels/targets.h"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/training/masked_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skim {
namespace HWY_NAMESPACE {
namespace {

// Forward and backward pass of one batch row.
template <class T>
class SoftRow {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

 public:
  SoftRow(const SoftStep<T>& step, std::size_t row)
      : step_(step),
        shape_(*step.shape),
        row_(row),
        gates_(step.gates + row * shape_.gate_stride),
        hidden_before_(step.hidden_before + row * shape_.hidden),
        cell_before_(At(step.cell_before, shape_.hidden)),
        inner_(At(step.inner, shape_.inner_stride)),
        log_p_(At(step.log_p, shape_.levels)),
        soft_(At(step.soft, shape_.levels)),
        taken_(At(step.taken, shape_.levels)) {}

  void Forward() {
    if (shape_.levels > 1) ChooseLevel();
    T* hidden = step_.hidden + row_ * shape_.hidden;
    T* cell = At(step_.cell, shape_.hidden);
    for (std::size_t l = 0; l < shape_.levels; ++l) {
      switch (shape_.cell) {
        case Cell::lstm:
          ForwardLstm(l, hidden, cell);
          break;
        case Cell::gru:
          ForwardGru(l, hidden);
          break;
        case Cell::rnn:
          ForwardRnn(l, hidden);
          break;
      }
    }
  }

  void Backward(const SoftGradients<T>& gradients) {
    const T* d_hidden = gradients.hidden + row_ * shape_.hidden;
    const T* d_cell = At(gradients.cell, shape_.hidden);
    T* d_before = gradients.hidden_before + row_ * shape_.hidden;
    T* d_cell_before = At(gradients.cell_before, shape_.hidden);
    T* d_state_gates = At(gradients.state_gates, shape_.gate_stride);
    T d_taken[kMaxSoftLevels];
    for (std::size_t l = 0; l < shape_.levels; ++l) {
      switch (shape_.cell) {
        case Cell::lstm:
          d_taken[l] = BackwardLstm(l, d_hidden, d_cell, d_before, d_cell_before);
          break;
        case Cell::gru:
          d_taken[l] = BackwardGru(l, d_hidden, d_before, d_state_gates);
          break;
        case Cell::rnn:
          d_taken[l] = BackwardRnn(l, d_hidden, d_before);
          break;
      }
    }
    if (shape_.levels > 1) BackwardChoice(d_taken, At(gradients.log_p, shape_.levels));
    if (d_state_gates != nullptr) {
      std::copy_n(gates_ + shape_.logits, shape_.levels > 1 ? shape_.levels : 0,
                  d_state_gates + shape_.logits);
    }
  }

 private:
  template <class P>
  HWY_INLINE P* At(P* array, std::size_t stride) const {
    return array == nullptr ? nullptr : array + row_ * stride;
  }

  T LevelWeight(std::size_t level) const { return shape_.levels > 1 ? taken_[level] : T{1}; }

  void ChooseLevel() {
    const std::size_t k = shape_.levels;
    T* z = gates_ + shape_.logits;
    if (step_.state_gates != nullptr) {
      const T* state = step_.state_gates + row_ * shape_.gate_stride + shape_.logits;
      for (std::size_t l = 0; l < k; ++l) z[l] += state[l];
    }
    LogSoftmax(z, T{1}, nullptr, log_p_);
    const T* noise = step_.noise == nullptr ? nullptr : step_.noise + row_ * k;
    LogSoftmax(log_p_, step_.temperature, noise, soft_);
    for (std::size_t l = 0; l < k; ++l) soft_[l] = std::exp(soft_[l]);
    if (step_.mix == Mix::soft) {
      std::copy_n(soft_, k, taken_);
      return;
    }
    const std::size_t choice =
        step_.mix == Mix::threshold
            ? FirstLevelAbove(step_.threshold)
            : static_cast<std::size_t>(std::max_element(soft_, soft_ + k) - soft_);
    std::fill_n(taken_, k, T{0});
    taken_[choice] = 1;
  }

  std::size_t FirstLevelAbove(T threshold) const {
    T sum = 0;
    for (std::size_t l = 0; l + 1 < shape_.levels; ++l) {
      sum += std::exp(log_p_[l]);
      if (sum > threshold) return l;
    }
    return shape_.levels - 1;
  }

  // out = log_softmax((in + add) / scale)
  void LogSoftmax(const T* in, T scale, const T* add, T* out) const {
    T max_value = -std::numeric_limits<T>::infinity();
    for (std::size_t l = 0; l < shape_.levels; ++l) {
      out[l] = (in[l] + (add == nullptr ? T{0} : add[l])) / scale;
      max_value = std::max(max_value, out[l]);
    }
    T sum = 0;
    for (std::size_t l = 0; l < shape_.levels; ++l) sum += std::exp(out[l] - max_value);
    const T log_sum = max_value + std::log(sum);
    for (std::size_t l = 0; l < shape_.levels; ++l) out[l] -= log_sum;
  }

  void BackwardChoice(const T* d_taken, const T* d_log_p_outside) {
    const std::size_t k = shape_.levels;
    const bool differentiable = step_.mix == Mix::soft || step_.mix == Mix::straight_through;
    T mean = 0;
    for (std::size_t l = 0; l < k; ++l) mean += soft_[l] * d_taken[l];
    T d_log_p[kMaxSoftLevels];
    T total = 0;
    for (std::size_t l = 0; l < k; ++l) {
      d_log_p[l] = d_log_p_outside == nullptr ? T{0} : d_log_p_outside[l];
      if (differentiable) d_log_p[l] += soft_[l] * (d_taken[l] - mean) / step_.temperature;
      total += d_log_p[l];
    }
    T* dz = gates_ + shape_.logits;
    for (std::size_t l = 0; l < k; ++l) dz[l] = d_log_p[l] - std::exp(log_p_[l]) * total;
  }

  // sum += weight * value; the first level overwrites `sum`.
  static HWY_INLINE void Accumulate(const MaskedVector<T>& vec, bool first, V weight, V value,
                                    T* sum) {
    vec.Store(first ? hn::Mul(weight, value) : hn::MulAdd(weight, value, vec.Load(sum)), sum);
  }

  // Mixes in the units that the level does not update.
  HWY_INLINE void CopySuffix(std::size_t level, V weight, const T* before, T* sum) const {
    ForEachVector<T>(shape_.level[level].units, shape_.hidden, [&](MaskedVector<T> vec) HWY_ATTR {
      Accumulate(vec, level == 0, weight, vec.Load(before), sum);
    });
  }

  // Backward pass of CopySuffix; returns its part of the gradient of the mixture weight.
  HWY_INLINE V CopySuffixBackward(std::size_t level, V weight, const T* before, const T* d_after,
                                  T* d_before) const {
    V product = hn::Zero(D());
    ForEachVector<T>(shape_.level[level].units, shape_.hidden, [&](MaskedVector<T> vec) HWY_ATTR {
      const V gradient = vec.Load(d_after);
      product = hn::MulAdd(gradient, vec.Load(before), product);
      Accumulate(vec, level == 0, weight, gradient, d_before);
    });
    return product;
  }

  HWY_INLINE void ForwardLstm(std::size_t l, T* hidden, T* cell) const {
    const D d;
    const SoftLevel& level = shape_.level[l];
    const V weight = hn::Set(d, LevelWeight(l));
    T* gi = gates_ + level.gates;
    T* gf = gi + level.units;
    T* gg = gf + level.units;
    T* go = gg + level.units;
    ForEachVector<T>(0, level.units, [&](MaskedVector<T> vec) HWY_ATTR {
      const V i = Sigmoid(d, vec.Load(gi));
      const V f = Sigmoid(d, vec.Load(gf));
      const V g = GateTanh(d, vec.Load(gg));
      const V o = Sigmoid(d, vec.Load(go));
      const V c = hn::MulAdd(f, vec.Load(cell_before_), hn::Mul(i, g));
      const V t = GateTanh(d, c);
      vec.Store(i, gi);
      vec.Store(f, gf);
      vec.Store(g, gg);
      vec.Store(o, go);
      vec.Store(t, inner_ + level.inner);
      Accumulate(vec, l == 0, weight, c, cell);
      Accumulate(vec, l == 0, weight, hn::Mul(o, t), hidden);
    });
    CopySuffix(l, weight, hidden_before_, hidden);
    CopySuffix(l, weight, cell_before_, cell);
  }

  HWY_INLINE T BackwardLstm(std::size_t l, const T* d_hidden, const T* d_cell, T* d_before,
                            T* d_cell_before) const {
    const D d;
    const SoftLevel& level = shape_.level[l];
    const V weight = hn::Set(d, LevelWeight(l));
    const V one = hn::Set(d, 1);
    T* gi = gates_ + level.gates;
    T* gf = gi + level.units;
    T* gg = gf + level.units;
    T* go = gg + level.units;
    V product = hn::Zero(d);
    ForEachVector<T>(0, level.units, [&](MaskedVector<T> vec) HWY_ATTR {
      const V i = vec.Load(gi), f = vec.Load(gf), g = vec.Load(gg), o = vec.Load(go);
      const V t = vec.Load(inner_ + level.inner);
      const V before = vec.Load(cell_before_);
      const V from_hidden = vec.Load(d_hidden), from_cell = vec.Load(d_cell);
      const V c = hn::MulAdd(f, before, hn::Mul(i, g));
      product = hn::MulAdd(from_hidden, hn::Mul(o, t), hn::MulAdd(from_cell, c, product));
      const V dh = hn::Mul(weight, from_hidden);
      const V dc = hn::MulAdd(hn::Mul(dh, o), hn::NegMulAdd(t, t, one), hn::Mul(weight, from_cell));
      vec.Store(hn::Mul(hn::Mul(dc, g), hn::Mul(i, hn::Sub(one, i))), gi);
      vec.Store(hn::Mul(hn::Mul(dc, before), hn::Mul(f, hn::Sub(one, f))), gf);
      vec.Store(hn::Mul(hn::Mul(dc, i), hn::NegMulAdd(g, g, one)), gg);
      vec.Store(hn::Mul(hn::Mul(dh, t), hn::Mul(o, hn::Sub(one, o))), go);
      Accumulate(vec, l == 0, f, dc, d_cell_before);
      if (l == 0) vec.Store(hn::Zero(d), d_before);
    });
    product = hn::Add(product, CopySuffixBackward(l, weight, hidden_before_, d_hidden, d_before));
    product = hn::Add(product, CopySuffixBackward(l, weight, cell_before_, d_cell, d_cell_before));
    return hn::GetLane(hn::SumOfLanes(d, product));
  }

  HWY_INLINE void ForwardGru(std::size_t l, T* hidden) const {
    const D d;
    const SoftLevel& level = shape_.level[l];
    const V weight = hn::Set(d, LevelWeight(l));
    const V one = hn::Set(d, 1);
    T* gr = gates_ + level.gates;
    T* gz = gr + level.units;
    T* gn = gz + level.units;
    const T* sr = step_.state_gates + row_ * shape_.gate_stride + level.gates;
    const T* sz = sr + level.units;
    const T* sn = sz + level.units;
    ForEachVector<T>(0, level.units, [&](MaskedVector<T> vec) HWY_ATTR {
      const V r = Sigmoid(d, hn::Add(vec.Load(gr), vec.Load(sr)));
      const V z = Sigmoid(d, hn::Add(vec.Load(gz), vec.Load(sz)));
      const V inside = hn::Add(vec.Load(sn), vec.Load(step_.inner_bias + level.inner));
      const V n = GateTanh(d, hn::MulAdd(r, inside, vec.Load(gn)));
      vec.Store(r, gr);
      vec.Store(z, gz);
      vec.Store(n, gn);
      vec.Store(inside, inner_ + level.inner);
      const V h = hn::MulAdd(z, vec.Load(hidden_before_), hn::Mul(hn::Sub(one, z), n));
      Accumulate(vec, l == 0, weight, h, hidden);
    });
    CopySuffix(l, weight, hidden_before_, hidden);
  }

  HWY_INLINE T BackwardGru(std::size_t l, const T* d_hidden, T* d_before, T* d_state_gates) const {
    const D d;
    const SoftLevel& level = shape_.level[l];
    const V weight = hn::Set(d, LevelWeight(l));
    const V one = hn::Set(d, 1);
    T* gr = gates_ + level.gates;
    T* gz = gr + level.units;
    T* gn = gz + level.units;
    T* sr = d_state_gates + level.gates;
    T* sz = sr + level.units;
    T* sn = sz + level.units;
    V product = hn::Zero(d);
    ForEachVector<T>(0, level.units, [&](MaskedVector<T> vec) HWY_ATTR {
      const V r = vec.Load(gr), z = vec.Load(gz), n = vec.Load(gn);
      const V before = vec.Load(hidden_before_);
      const V from_hidden = vec.Load(d_hidden);
      const V h = hn::MulAdd(z, before, hn::Mul(hn::Sub(one, z), n));
      product = hn::MulAdd(from_hidden, h, product);
      const V dh = hn::Mul(weight, from_hidden);
      const V dn = hn::Mul(hn::Mul(dh, hn::Sub(one, z)), hn::NegMulAdd(n, n, one));
      const V dz = hn::Mul(hn::Mul(dh, hn::Sub(before, n)), hn::Mul(z, hn::Sub(one, z)));
      const V dr =
          hn::Mul(hn::Mul(dn, vec.Load(inner_ + level.inner)), hn::Mul(r, hn::Sub(one, r)));
      vec.Store(dr, gr);
      vec.Store(dz, gz);
      vec.Store(dn, gn);
      vec.Store(dr, sr);
      vec.Store(dz, sz);
      vec.Store(hn::Mul(dn, r), sn);
      Accumulate(vec, l == 0, z, dh, d_before);
    });
    product = hn::Add(product, CopySuffixBackward(l, weight, hidden_before_, d_hidden, d_before));
    return hn::GetLane(hn::SumOfLanes(d, product));
  }

  HWY_INLINE void ForwardRnn(std::size_t l, T* hidden) const {
    const D d;
    const SoftLevel& level = shape_.level[l];
    const V weight = hn::Set(d, LevelWeight(l));
    T* gate = gates_ + level.gates;
    ForEachVector<T>(0, level.units, [&](MaskedVector<T> vec) HWY_ATTR {
      const V h = GateTanh(d, vec.Load(gate));
      vec.Store(h, gate);
      Accumulate(vec, l == 0, weight, h, hidden);
    });
    CopySuffix(l, weight, hidden_before_, hidden);
  }

  HWY_INLINE T BackwardRnn(std::size_t l, const T* d_hidden, T* d_before) const {
    const D d;
    const SoftLevel& level = shape_.level[l];
    const V weight = hn::Set(d, LevelWeight(l));
    const V one = hn::Set(d, 1);
    T* gate = gates_ + level.gates;
    V product = hn::Zero(d);
    ForEachVector<T>(0, level.units, [&](MaskedVector<T> vec) HWY_ATTR {
      const V h = vec.Load(gate);
      const V from_hidden = vec.Load(d_hidden);
      product = hn::MulAdd(from_hidden, h, product);
      vec.Store(hn::Mul(hn::Mul(weight, from_hidden), hn::NegMulAdd(h, h, one)), gate);
      if (l == 0) vec.Store(hn::Zero(d), d_before);
    });
    product = hn::Add(product, CopySuffixBackward(l, weight, hidden_before_, d_hidden, d_before));
    return hn::GetLane(hn::SumOfLanes(d, product));
  }

  const SoftStep<T>& step_;
  const SoftShape& shape_;
  std::size_t row_;
  T* gates_;
  const T* hidden_before_;
  const T* cell_before_;
  T* inner_;
  T* log_p_;
  T* soft_;
  T* taken_;
};

template <class T>
void ForwardRows(const SoftStep<T>& step, std::size_t first, std::size_t last) {
  for (std::size_t row = first; row < last; ++row) SoftRow<T>(step, row).Forward();
}

template <class T>
void BackwardRows(const SoftStep<T>& step, const SoftGradients<T>& gradients, std::size_t first,
                  std::size_t last) {
  for (std::size_t row = first; row < last; ++row) SoftRow<T>(step, row).Backward(gradients);
}

}  // namespace

void SoftForwardFloat(const SoftStep<float>& step, std::size_t first, std::size_t last) {
  ForwardRows(step, first, last);
}
void SoftBackwardFloat(const SoftStep<float>& step, const SoftGradients<float>& gradients,
                       std::size_t first, std::size_t last) {
  BackwardRows(step, gradients, first, last);
}
#if HWY_HAVE_FLOAT64
void SoftForwardDouble(const SoftStep<double>& step, std::size_t first, std::size_t last) {
  ForwardRows(step, first, last);
}
void SoftBackwardDouble(const SoftStep<double>& step, const SoftGradients<double>& gradients,
                        std::size_t first, std::size_t last) {
  BackwardRows(step, gradients, first, last);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace skim
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skim {

HWY_EXPORT(SoftForwardFloat);
HWY_EXPORT(SoftBackwardFloat);
HWY_EXPORT(SoftForwardDouble);
HWY_EXPORT(SoftBackwardDouble);

void soft_forward(const SoftStep<float>& step, std::size_t first, std::size_t last) noexcept {
  HWY_DYNAMIC_DISPATCH(SoftForwardFloat)(step, first, last);
}
void soft_forward(const SoftStep<double>& step, std::size_t first, std::size_t last) noexcept {
  HWY_DYNAMIC_DISPATCH(SoftForwardDouble)(step, first, last);
}
void soft_backward(const SoftStep<float>& step, const SoftGradients<float>& gradients,
                   std::size_t first, std::size_t last) noexcept {
  HWY_DYNAMIC_DISPATCH(SoftBackwardFloat)(step, gradients, first, last);
}
void soft_backward(const SoftStep<double>& step, const SoftGradients<double>& gradients,
                   std::size_t first, std::size_t last) noexcept {
  HWY_DYNAMIC_DISPATCH(SoftBackwardDouble)(step, gradients, first, last);
}

}  // namespace skim
#endif
