// Many texts on several threads, one text a thread at a time.
#pragma once

#include <memory>
#include <span>

#include "skim/model.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

// Keeps its threads and their sessions between calls. Serves one caller at a time.
class Batch {
 public:
  // `threads` < 1 takes one a core.
  Batch(Model model, int threads);
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  int threads() const;
  // answers[i] belongs to queries[i]; both spans are equally long. The answers are identical for
  // any number of threads. Each element is overwritten; readings already in `answers` lend their
  // memory.
  void ask(std::span<const Query> queries, Policy policy, std::span<Result<Reading>> answers);

 private:
  struct Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace skim
