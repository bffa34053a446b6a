// Matrix products on one thread, straight from OpenBLAS. Threads are ours: a batch is cut into
// parts that do not depend on how many threads there are, so neither do the results.
#pragma once

#include <cstdint>

namespace skim::train {

// A view of rows: `stride` values between the first of one row and that of the next.
template <class T>
struct View {
  T* data = nullptr;
  std::int64_t stride = 0;
  T* row(std::int64_t index) const { return data + index * stride; }
  View from(std::int64_t index) const { return {row(index), stride}; }
};

// c [m, n] = a [m, k] b [k, n] + beta c; either factor may be given transposed.
struct Transposed {
  bool a = false, b = false;
};
void product(Transposed transposed, std::int64_t m, std::int64_t n, std::int64_t k,
             View<const float> a, View<const float> b, float beta, View<float> c);
void product(Transposed transposed, std::int64_t m, std::int64_t n, std::int64_t k,
             View<const double> a, View<const double> b, double beta, View<double> c);

// The fused operation wants one: OpenBLAS must not start threads of its own below ours.
void use_threads_a_product(int count);

}  // namespace skim::train
