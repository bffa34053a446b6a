// Crops of training texts for distillation. The teacher's predictions for a few words show the
// student which words matter, which the label of a whole text does not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skim/spec.h"
#include "tasks/example.h"

namespace skim::train {

struct DistillationCropOptions {
  std::size_t per_text = 0;  // number of crops
  std::size_t max_words = 0;
  std::uint64_t seed = 1;
};

// Random runs of words of the texts; very short texts give none. A crop keeps the label of its
// text, which need not fit it.
Dataset make_distillation_crops(const Dataset& texts, TokenizerKind tokenizer,
                                const DistillationCropOptions& options);

}  // namespace skim::train
