// Single-threaded matrix products by OpenBLAS. Callers run them in parallel on chunks whose sizes
// do not depend on the number of threads, so that results do not either.
#pragma once

#include <cstdint>

namespace skim::train {

// A matrix view; `stride` is the distance between rows in values.
template <class T>
struct View {
  T* data = nullptr;
  std::int64_t stride = 0;
  T* row(std::int64_t index) const { return data + index * stride; }
  View from(std::int64_t index) const { return {row(index), stride}; }
};

// Computes c [m, n] = a [m, k] b [k, n] + beta c; either factor may be stored transposed.
struct Transposed {
  bool a = false, b = false;
};
void gemm(Transposed transposed, std::int64_t m, std::int64_t n, std::int64_t k,
          View<const float> a, View<const float> b, float beta, View<float> c);
void gemm(Transposed transposed, std::int64_t m, std::int64_t n, std::int64_t k,
          View<const double> a, View<const double> b, double beta, View<double> c);

// Sets the threads of OpenBLAS. The fused operation needs one: it runs its own threads.
void set_blas_threads(int count);

}  // namespace skim::train
