// A training that begins with what another model has learned.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "train/corpus.h"

namespace skim::train {

struct Start {
  std::map<std::string, std::vector<float>> weights;  // by name, all but word vectors
  std::size_t words = 0;                              // how many of the vocabulary it knew
  std::uint64_t checksum = 0;                         // of the model's data
};

// What `file` can give to a model of this spec; word vectors go into the vocabulary at once.
// Weights of another shape are left out, and so is the last layer when the labels are others.
// Another kind of cell, other widths of words, or nothing in common at all is an error.
Result<Start> start_from(const ModelFile& file, const ModelSpec& spec, Vocabulary& vocabulary);

}  // namespace skim::train
