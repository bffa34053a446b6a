// Models of any shape with random weights, for tests that compare and benches that measure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "file/model_file.h"
#include "skim/spec.h"

namespace skim {

// Weights of a size that keeps states moving and decisions undecided. The vocabulary is made of
// letters; missing labels are added.
ModelDraft random_draft(ModelSpec spec, std::uint64_t seed);

// Word `index` of a made-up vocabulary: always a single word for the tokenizer, never twice the
// same, none of English.
std::string made_up_word(std::size_t index);

// A text of `count` words drawn evenly from the vocabulary of random_draft, some unknown to it.
std::string random_text(const ModelSpec& spec, std::size_t count, std::uint64_t seed);

}  // namespace skim
