// Products of one matrix with many rows: inputs of the cells.
#pragma once

#include <cstddef>

#include "base/rows.h"
#include "kernels/pack.h"

namespace skim {

// out[r] = bias + matrix * in[r]. bias and every out row hold matrix.rows floats, matrix is f32;
// in.width is matrix.columns. Each output is summed in the order of the columns, however many rows
// there are: one row at a time gives the same bits as all at once.
void project(const PackedMatrix& matrix, const float* bias, Rows in, float* out,
             std::size_t out_stride) noexcept;

}  // namespace skim
