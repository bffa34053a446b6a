// Views of row-major float matrices. `stride` is the distance between rows in floats.
#pragma once

#include <cstddef>

namespace skim {

struct Rows {
  const float* data = nullptr;
  std::size_t count = 0;
  std::size_t width = 0;
  std::size_t stride = 0;
  const float* row(std::size_t i) const { return data + i * stride; }
};

struct MutableRows {
  float* data = nullptr;
  std::size_t count = 0;
  std::size_t width = 0;
  std::size_t stride = 0;
  float* row(std::size_t i) const { return data + i * stride; }
};

}  // namespace skim
