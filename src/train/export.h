// From a snapshot to a model file, with proof: questions and the answers the trainer gives.
#pragma once

#include <string>

#include "file/model_file.h"
#include "train/fit.h"

namespace skim::train {

ModelDraft make_draft(const ModelSpec& spec, const Vocabulary& vocabulary, const Snapshot& snapshot,
                      const std::string& about, std::uint64_t seed);

// Texts made of the model's own words, short and long, each with what the trainer reads in it. No
// text that was trained on is stored.
std::vector<Probe> make_probes(const ModelSpec& spec, const Vocabulary& vocabulary,
                               const Snapshot& snapshot, std::uint64_t seed);

}  // namespace skim::train
