// Initialization from another model (--start-from).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/result.h"
#include "skim/spec.h"
#include "train/corpus.h"

namespace skim::train {

struct InitialWeights {
  std::map<std::string, std::vector<float>> weights;  // by name, without embeddings
  std::vector<float> subwords;                        // vectors of n-grams; empty if none fit
  std::size_t num_embeddings = 0;                     // words of the vocabulary that it has
  std::uint64_t checksum = 0;                         // of the model's data
};

// The tensors of `file` that fit a model of this spec; copies embeddings into the vocabulary. Skips
// tensors of another shape, and the last layer when the labels differ. Another cell, another
// embedding size or no tensor in common is an error.
Result<InitialWeights> load_initial_weights(const ModelFile& file, const ModelSpec& spec,
                                            Vocabulary& vocabulary);

}  // namespace skim::train
