// A model that solves the planted task (tests/generated/planted.h) without having been trained:
// every weight that matters is set by hand, the rest is noise. It reads the words that decide and
// skims the others.
#pragma once

#include <cstdint>
#include <vector>

#include "file/model_file.h"
#include "skim/result.h"
#include "skim/spec.h"

namespace skim {

struct PlantedModelOptions {
  ReaderKind kind = ReaderKind::skim;
  Cell cell = Cell::lstm;
  int hidden = 100;
  std::vector<int> small = {10};  // ignored by a full reader
  SmallSees small_sees = SmallSees::head;
  Decision decision = Decision::linear;  // or linear_cell
  int layers = 1;
  bool bidirectional = false;
  Pooling pooling = Pooling::last;
  WeightType weights = WeightType::f32;
  int word_width = 100;
  int vocabulary = 0;  // made-up words that act as filler are added up to this number
  // How wrong the model is about how much a word counts, as a share: 0 makes a model that is never
  // wrong when it reads everything, and that often weighs a text at exactly nothing when it does
  // not. Trained models are neither.
  float misjudged = 0;
  std::uint64_t seed = 1;
};

// With stored probes and calibration, both measured by the runtime. An error says what the wiring
// cannot do: it needs room for its units; a tanh RNN cannot count in int8, and takes no negators.
Result<ModelDraft> planted_draft(const PlantedModelOptions& options);

}  // namespace skim
