// Models of any spec with random weights, for tests and benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/spec.h"

namespace skim {

// Random weights, scaled so that states keep changing and decisions vary. The vocabulary consists
// of synthetic words; missing labels are added.
ModelDraft random_draft(ModelSpec spec, std::uint64_t seed);

// Word `index` of the synthetic vocabulary: a single token, unique, not an English word.
std::string synthetic_word(std::size_t index);

// A text of `count` words drawn uniformly from the vocabulary of random_draft, some of them out of
// vocabulary.
std::string random_text(const ModelSpec& spec, std::size_t count, std::uint64_t seed);

}  // namespace skim
