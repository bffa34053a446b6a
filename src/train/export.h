// Turns a snapshot into the draft of a model file, with probes: queries and the trainer's answers.
#pragma once

#include <string>

#include "file/model_file.h"
#include "train/fit.h"

namespace skim::train {

// Folds the vectors of n-grams into those of the vocabulary's words.
ModelDraft make_draft(const ModelSpec& spec, const Vocabulary& vocabulary, const Snapshot& trained,
                      const std::string& about, std::uint64_t seed);

// Probes of random words of the vocabulary, short and long, with the trainer's answers and traces.
// They contain no training text.
std::vector<Probe> make_probes(const ModelSpec& spec, const Vocabulary& vocabulary,
                               const Snapshot& snapshot, std::uint64_t seed);

}  // namespace skim::train
