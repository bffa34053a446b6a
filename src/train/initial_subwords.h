// The initial vectors of character n-grams.
#pragma once

#include <cstdint>
#include <vector>

#include "train/corpus.h"

namespace skim::train {

// Sets vocabulary.subword_vectors: to `given` unless it is empty; else to vectors whose means
// approximate the pretrained embeddings, so that the embedding of an unknown word resembles those
// of words that are spelled alike; to zero without pretrained embeddings. Pretrained words keep
// their embeddings: their own vectors become what the n-grams do not account for.
void init_subwords(Vocabulary& vocabulary, std::vector<float> given, std::uint64_t seed);

}  // namespace skim::train
