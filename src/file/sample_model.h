// Small random models for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "file/model_file.h"
#include "spec/params.h"

namespace skim {

// Spec of a tiny skim classifier.
inline ModelSpec sample_spec() {
  ModelSpec spec;
  spec.vocab_size = 7;
  spec.embedding_size = 5;
  spec.reader.input_size = 5;
  spec.reader.hidden_size = 6;
  spec.reader.skim_sizes = {2};
  spec.labels = {"bad", "good"};
  return spec;
}

// A model with weights uniform in -0.5 to 0.5, reproducible from the seed on every machine, and the
// words "<unk>", "word1", "word2", ...
inline ModelDraft sample_draft(const ModelSpec& spec, std::uint64_t seed = 1) {
  ModelDraft draft;
  draft.spec = spec;
  draft.about = "a random model for tests";
  for (int id = 0; id < spec.vocab_size; ++id) {
    draft.vocabulary.push_back(id == 0 ? "<unk>" : "word" + std::to_string(id));
  }
  std::uint64_t state = seed;
  const auto uniform = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<float>(state >> 40U) / static_cast<float>(1U << 24U) - 0.5F;
  };
  for (const TensorSpec& tensor : model_tensors(spec)) {
    std::size_t count = 1;
    for (const std::size_t extent : tensor.shape) count *= extent;
    std::vector<float> values(count);
    for (float& value : values) value = uniform();
    draft.tensors.push_back({tensor.name, std::move(values)});
  }
  return draft;
}

// A sample_draft with a calibration and a probe, whose answer and trace are made up.
inline ModelDraft sample_draft_with_probe(const ModelSpec& spec, std::uint64_t seed = 1) {
  ModelDraft draft = sample_draft(spec, seed);
  draft.calibration = {.data = "dev.tsv", .points = {{0, 1.01}, {0.5, 0.3}}};
  Probe probe;
  probe.query = {"word1 word2", "", {}};
  probe.policy = {.threshold = 0.3F, .rule = Policy::Rule::sample, .seed = 7};
  if (spec.net != NetKind::classifier) probe.query.question = "word3";
  if (spec.net == NetKind::cloze) probe.query.choices = {"word4", "word5"};
  if (spec.is_extractive()) {
    probe.end = 5;
    probe.scores = {0.6F, 0.4F, 0.8F, 0.2F};
  } else {
    probe.index = spec.output == OutputActivation::linear ? -1 : 0;
    const bool is_classifier = spec.net == NetKind::classifier;
    probe.scores.resize(is_classifier ? spec.num_logits() : probe.query.choices.size(), 0.1F / 3);
  }
  probe.trace = {{.reader = "0.forward", .hidden_size = 6, .steps = {{6, 0.7F}, {2, 0.1F / 3}}}};
  draft.probes = {probe};
  return draft;
}

}  // namespace skim
