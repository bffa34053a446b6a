// A parallel loop whose chunks do not depend on the number of threads, unlike those of torch.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skim::train {

// Calls chunk(index, first, last) for ranges of at most `size` in [0, count). It must not throw.
template <class F>
void parallel_chunks(int threads, std::int64_t count, std::int64_t size, F chunk) {
  const std::int64_t chunks = (count + size - 1) / size;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1 && chunks > 1)
  for (std::int64_t i = 0; i < chunks; ++i) chunk(i, i * size, std::min(count, (i + 1) * size));
}

}  // namespace skim::train
