// Matrix product of packed weights with a batch of rows: the input projections of the cells.
#pragma once

#include <cstddef>

#include "base/rows.h"
#include "kernels/pack.h"

namespace skim {

// out[r] = bias + matrix * in[r]. `bias` and each output row hold matrix.rows floats; `matrix` is
// f32; in.width is matrix.columns. Each output is summed in column order for any number of rows, so
// projecting row by row is bit-identical to projecting the batch.
void project(const PackedMatrix& matrix, const float* bias, Rows in, float* out,
             std::size_t out_stride) noexcept;

}  // namespace skim
