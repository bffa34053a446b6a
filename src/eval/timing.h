// The measured half of an evaluation: a model against its plain twin, on one thread.
#pragma once

#include <cstddef>
#include <span>

#include "eval/progress.h"
#include "skim/model.h"
#include "skim/policy.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

struct TimingOptions {
  double seconds = 2;  // about how long to measure, warm-up included
  int rounds = 7;      // how often each text is read by each model
};

struct Timing {
  double speedup = 1;          // time of the plain twin over the model's, from text to answer
  double reading_speedup = 1;  // the same without finding the words and their ids
  double per_word = 0;         // microseconds, from text to answer, as are all below
  double plain_per_word = 0;
  double tokenizing_per_word = 0;  // finding the words and their ids
  double per_text_p50 = 0;
  double per_text_p99 = 0;
  std::size_t texts = 0;  // how many were timed
  int rounds = 0;
};

// Both models take turns on the same texts, a few at a time, in several rounds. A text's time is
// its *minimum* over the rounds: whatever disturbs a machine (other programs, a slower clock, a
// page that had to be fetched) only ever adds time, and in short turns the two models meet the
// same luck. The speed-up is the ratio of the summed minima. An even selection of `queries` is
// timed, as large as the time allows; no queries is an error.
Result<Timing> time_against_plain(const Model& model, std::span<const Query> queries, Policy policy,
                                  TimingOptions options = {}, const Progress& progress = {});

}  // namespace skim
