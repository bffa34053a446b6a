// Batched inference on several threads.
#pragma once

#include <memory>
#include <span>

#include "skim/model.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

// A thread pool with one session per thread, kept between calls. Not thread-safe: one caller at a
// time.
class Batch {
 public:
  // `threads` < 1 starts one thread per core.
  Batch(Model model, int threads);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  int threads() const;
  // Writes the reading of queries[i] to readings[i]; both spans have the same length. The results
  // do not depend on the number of threads. The memory of readings already in the span is reused.
  // Detail::answer takes less time and memory.
  void read(std::span<const Query> queries, Policy policy, std::span<Result<Reading>> readings,
            Detail detail = Detail::full);

 private:
  struct ThreadPool;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace skim
