// A model that solves the planted task (tests/generated/planted.h) without training: the relevant
// weights are set by hand, the rest is noise. It reads the words that determine the label and skims
// the others.
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
  int hidden_size = 100;
  std::vector<int> skim_sizes = {10};  // ignored by a dense reader
  SmallInput small_input = SmallInput::prefix;
  Decision decision = Decision::linear;  // or linear_cell
  int num_layers = 1;
  bool bidirectional = false;
  Pooling pooling = Pooling::last;
  WeightType weight_type = WeightType::f32;
  TokenizerKind tokenizer = TokenizerKind::english;
  int embedding_size = 100;
  int vocab_size = 0;  // minimum size; filled up with synthetic filler words
  // Relative error of the words' strengths. With 0 the model makes no errors when it reads
  // everything, and texts are often exactly undecided when it does not; trained models do neither.
  float strength_error = 0;
  std::uint64_t seed = 1;
};

// Makes the model, with probes and calibration measured by the runtime. Fails for specs that the
// wiring does not support: it needs enough units; a tanh RNN cannot count in int8 and supports no
// negators.
Result<ModelDraft> planted_draft(const PlantedModelOptions& options);

}  // namespace skim
