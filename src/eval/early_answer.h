// What early answers (Policy::confident) save and cost.
#pragma once

#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "eval/test_set.h"
#include "skim/batch.h"
#include "skim/policy.h"
#include "skim/result.h"

namespace skim {

struct EarlyAnswerRow {
  float confident = 0;
  double accuracy = 0;
  double unseen_share = 0;  // of all words, those never looked at
  double work = 1;          // counted FLOPs over those of the dense reader on the whole texts
};

// Reads the set once for each of a few confidences from 0.8 to 0.99. The model must support them.
// Empty when no text is read to less than its end: most sets have no texts that are long enough.
Result<std::vector<EarlyAnswerRow>> measure_early_answers(Batch& batch, const TestSet& set,
                                                          Policy policy,
                                                          const Progress& progress = {});

Json to_json(const std::vector<EarlyAnswerRow>& rows);

}  // namespace skim
