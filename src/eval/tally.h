// The exact half of an evaluation: what was answered and what it cost, on all threads.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "eval/progress.h"
#include "eval/test_set.h"
#include "skim/batch.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "skim/trace.h"

namespace skim {

// How one reader of a net went over all texts.
struct PassRate {
  std::string reader;
  std::size_t steps = 0;
  std::size_t skimmed = 0;

  double skim_rate() const;
};

struct Tally {
  std::vector<int> answers;         // one a query: the index of the label or choice
  std::vector<std::string> pieces;  // instead, where answers are pieces of the text
  std::size_t words = 0;
  std::size_t steps = 0;    // words times passes
  std::size_t skimmed = 0;  // of those, the steps that did not update the whole state
  std::vector<PassRate> passes;
  Costs costs;  // sums over all queries

  Marks marks(const TestSet& set) const;
  double skim_rate() const;
  // Counted cost over the plain reader's.
  double work() const;
};

using LookAtReading = std::function<void(const Reading&)>;

// Asks everything. `look`, if given, sees each reading, in order, on the calling thread. The error
// names the query, counted from 1, that could not be answered.
Result<Tally> tally(Batch& batch, std::span<const Query> queries, Policy policy,
                    const Progress& progress = {}, const LookAtReading& look = {});

}  // namespace skim
