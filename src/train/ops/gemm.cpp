#include "train/ops/gemm.h"

#include <cblas.h>

namespace skim::train {
namespace {

CBLAS_TRANSPOSE flag(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }
int narrow(std::int64_t value) { return static_cast<int>(value); }

}  // namespace

void gemm(Transposed transposed, std::int64_t m, std::int64_t n, std::int64_t k,
          View<const float> a, View<const float> b, float beta, View<float> c) {
  cblas_sgemm(CblasRowMajor, flag(transposed.a), flag(transposed.b), narrow(m), narrow(n),
              narrow(k), 1.0F, a.data, narrow(a.stride), b.data, narrow(b.stride), beta, c.data,
              narrow(c.stride));
}

void gemm(Transposed transposed, std::int64_t m, std::int64_t n, std::int64_t k,
          View<const double> a, View<const double> b, double beta, View<double> c) {
  cblas_dgemm(CblasRowMajor, flag(transposed.a), flag(transposed.b), narrow(m), narrow(n),
              narrow(k), 1.0, a.data, narrow(a.stride), b.data, narrow(b.stride), beta, c.data,
              narrow(c.stride));
}

void set_blas_threads(int count) { openblas_set_num_threads(count); }

}  // namespace skim::train
