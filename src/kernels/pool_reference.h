// Scalar reference of kernels/pool.h on dense rows, for the tests.
#pragma once

#include <vector>

#include "kernels/pool.h"

namespace skim {

// Expands a log to the hidden state after each step, in text order: log.count rows of log.widths[0]
// values.
std::vector<std::vector<float>> expand_rows(const UpdateLog& log);

std::vector<float> reference_max(const UpdateLog& log);
std::vector<float> reference_sum(const UpdateLog& log, const float* weights);
std::vector<float> reference_row_logits(const UpdateLog& log, const float* w);
std::vector<float> reference_softmax(const std::vector<float>& values);
std::vector<float> reference_linear(const LinearParams& layer, const float* x);

}  // namespace skim
