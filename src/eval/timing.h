// Measures the speed-up of a model over the dense reader with the same weights, on one thread.
#pragma once

#include <cstddef>
#include <span>

#include "base/progress.h"
#include "skim/model.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

struct TimingOptions {
  double seconds = 2;  // approximate measuring time, warm-up included
  int rounds = 7;      // number of times each model reads each text
};

struct Timing {
  double speedup = 1;          // dense time over the model's time, from text to answer
  double reading_speedup = 1;  // the same without tokenization
  double per_word = 0;         // microseconds from text to answer, like all times below
  double dense_per_word = 0;
  double tokenization_per_word = 0;
  double per_text_p50 = 0;
  double per_text_p99 = 0;
  std::size_t texts = 0;  // number of texts timed
  int rounds = 0;
};

// Times `model` against its dense reader. Both take turns on the same texts, a few at a time, over
// several rounds. The time of a text is its minimum over the rounds, because disturbances (other
// programs, frequency changes, page faults) only add time, and short turns expose both models to
// the same ones. The speed-up is the ratio of the summed minima. Times an evenly spaced subset of
// `queries`, as large as `options.seconds` allows. Fails when `queries` is empty.
Result<Timing> time_against_dense(const Model& model, std::span<const Query> queries, Policy policy,
                                  TimingOptions options = {}, const Progress& progress = {});

}  // namespace skim
