// Work in parts on several threads. Torch itself runs on one, because its sums depend on how many
// there are.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skim::train {

// part(index, first, last) for stretches of at most `size`. It must not throw.
template <class F>
void in_parts(int threads, std::int64_t count, std::int64_t size, F part) {
  const std::int64_t parts = (count + size - 1) / size;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1 && parts > 1)
  for (std::int64_t i = 0; i < parts; ++i) part(i, i * size, std::min(count, (i + 1) * size));
}

}  // namespace skim::train
