// Reads a data set on all threads and sums up answers, skimmed steps and FLOPs.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "eval/test_set.h"
#include "skim/batch.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"
#include "skim/trace.h"

namespace skim {

// Steps of one pass, summed over all texts.
struct PassRate {
  std::string reader;
  std::size_t steps = 0;
  std::size_t skimmed = 0;

  double skim_rate() const;
};

struct Tally {
  std::vector<int> answers;        // index of the label or choice, one per query
  std::vector<std::string> spans;  // answer texts of extractive models, which have no index
  std::size_t words = 0;
  std::size_t unseen = 0;   // words never looked at (Policy::confident)
  std::size_t steps = 0;    // words times passes over them
  std::size_t skimmed = 0;  // steps that did not update the whole state
  std::vector<PassRate> passes;
  Costs costs;  // sums over all queries

  Metrics metrics(const TestSet& set) const;
  double skim_rate() const;
  // Share of the words that were never looked at.
  double unseen_share() const;
  // Counted FLOPs over those of the dense reader.
  double work() const;
};

using ReadingCallback = std::function<void(const Reading&)>;

// Reads all queries. Calls `on_reading`, if given, with each reading in order, on the calling
// thread. The error gives the 1-based number of the query that failed.
Result<Tally> tally(Batch& batch, std::span<const Query> queries, Policy policy,
                    const Progress& progress = {}, const ReadingCallback& on_reading = {});

}  // namespace skim
