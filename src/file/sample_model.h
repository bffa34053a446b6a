// Small made-up models for tests, here and in the folders above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "file/model_file.h"
#include "spec/params.h"

namespace skim {

// Spec of a classifier that is tiny but has every part.
inline ModelSpec sample_spec() {
  ModelSpec spec;
  spec.vocabulary = 7;
  spec.word_width = 5;
  spec.reader.input = 5;
  spec.reader.hidden = 6;
  spec.reader.small = {2};
  spec.labels = {"bad", "good"};
  return spec;
}

// A model of that spec with weights drawn from -0.5 to 0.5, the same for the same seed on every
// machine, and the words "<unk>", "word1", "word2", ...
inline ModelDraft sample_draft(const ModelSpec& spec, std::uint64_t seed = 1) {
  ModelDraft draft;
  draft.spec = spec;
  draft.about = "a made-up model for tests";
  for (int id = 0; id < spec.vocabulary; ++id) {
    draft.vocabulary.push_back(id == 0 ? "<unk>" : "word" + std::to_string(id));
  }
  std::uint64_t state = seed;
  const auto draw = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<float>(state >> 40U) / static_cast<float>(1U << 24U) - 0.5F;
  };
  for (const TensorSpec& tensor : model_tensors(spec)) {
    std::size_t count = 1;
    for (const std::size_t extent : tensor.shape) count *= extent;
    std::vector<float> values(count);
    for (float& value : values) value = draw();
    draft.tensors.push_back({tensor.name, std::move(values)});
  }
  return draft;
}

}  // namespace skim
