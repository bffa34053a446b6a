// Temperature scaling (Guo et al. 2017): one number that makes the scores of a classifier match the
// shares of correct answers.
#pragma once

#include <span>

#include "base/progress.h"
#include "skim/model.h"
#include "skim/query.h"
#include "skim/result.h"

namespace skim {

struct TemperatureFit {
  double temperature = 1;
  // Mean negative log likelihood of the true labels at temperature 1 and at this one.
  double nll_before = 0, nll = 0;
};

// Fits the temperature of a softmax classifier to the labels `truth` of `queries` by maximum
// likelihood, with decisions at threshold 0.5. Independent of the temperature that the model has,
// and of `threads` (< 1: one per core). The result has four decimals.
Result<TemperatureFit> fit_temperature(const Model& model, std::span<const Query> queries,
                                       std::span<const int> truth, int threads = 0,
                                       const Progress& progress = {});

// The same from the logits of `labels` labels per text, row by row; there is at least one text.
// Takes n texts to have 1 / (n + 2) of an unknown label, as Platt (1999) did, so that few texts
// without an error do not give scores of 1.
TemperatureFit fit_temperature(std::span<const float> logits, std::size_t labels,
                               std::span<const int> truth);

}  // namespace skim
