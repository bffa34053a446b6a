// What kernels/pool.h computes, on dense rows and in the plainest way. Tests compare with it.
#pragma once

#include <vector>

#include "kernels/pool.h"

namespace skim {

// The rows that a log stands for, in the order of the text: log.count of log.widths[0] values.
std::vector<std::vector<float>> rows_of_log(const PoolLog& log);

std::vector<float> reference_max(const PoolLog& log);
std::vector<float> reference_sum(const PoolLog& log, const float* weights);
std::vector<float> reference_scores(const PoolLog& log, const float* w);
std::vector<float> reference_softmax(const std::vector<float>& values);
std::vector<float> reference_dense(const Dense& layer, const float* x);

}  // namespace skim
