// Draws from the space of valid specs, for differential tests and fuzzers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "skim/spec.h"
#include "spec/names.h"
#include "tests/generated/random.h"

namespace skim {

// The largest sizes to draw.
struct SpecLimits {
  int input_size = 24;
  int hidden_size = 40;
  int vocab_size = 60;
  int num_layers = 3;
};

inline int draw_between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::size_t>(high - low) + 1));
}

// One of the enumerators of E.
template <class E>
E draw_enum(Random& random) {
  return kNames<E>[random.below(kNames<E>.size())].first;
}

// Up to seven decreasing sizes below `hidden_size`. One size, as in the paper, is as likely as all
// other numbers.
inline std::vector<int> draw_skim_sizes(Random& random, int hidden_size) {
  std::vector<int> sizes;
  const int count = random.bernoulli(0.5) ? 1 : draw_between(random, 2, 7);
  for (int wider = hidden_size; wider > 0 && static_cast<int>(sizes.size()) < count;) {
    wider = draw_between(random, 0, wider - 1);
    sizes.push_back(wider);
  }
  return sizes;
}

inline ReaderSpec draw_reader_spec(Random& random, const SpecLimits& limits) {
  ReaderSpec spec;
  spec.kind = random.bernoulli(0.5) ? ReaderKind::skim : draw_enum<ReaderKind>(random);
  spec.cell = draw_enum<Cell>(random);
  spec.input_size = draw_between(random, 1, limits.input_size);
  spec.hidden_size = draw_between(random, 1, limits.hidden_size);
  spec.skim_sizes.clear();
  if (spec.kind == ReaderKind::skim) spec.skim_sizes = draw_skim_sizes(random, spec.hidden_size);
  spec.small_input = draw_enum<SmallInput>(random);
  spec.decision = draw_enum<Decision>(random);
  if (spec.decision == Decision::linear_cell && spec.cell != Cell::lstm)
    spec.decision = Decision::linear;
  if (spec.kind == ReaderKind::lstm_jump)
    spec.jump = {.tokens_per_jump = draw_between(random, 1, 6),
                 .max_jump = draw_between(random, 1, 9),
                 .max_jumps = draw_between(random, 0, 12)};
  return spec;
}

inline void draw_sentence_ends(Random& random, ModelSpec& spec) {
  const bool possible = spec.reader.kind == ReaderKind::lstm_jump && spec.reads_embeddings() &&
                        spec.num_layers == 1 && !spec.bidirectional;
  if (!possible || random.bernoulli(0.5)) return;
  for (int count = draw_between(random, 1, 8); count > 0; --count)
    spec.reader.jump.sentence_end_ids.push_back(draw_between(random, 0, spec.vocab_size - 1));
}

// A spec that passes check(). Extractive nets get no lstm-jump reader, which the trainer rejects:
// it has no hidden state after the words that it jumps over.
inline ModelSpec draw_model_spec(Random& random, const SpecLimits& limits) {
  ModelSpec spec;
  spec.net = random.bernoulli(0.5) ? NetKind::classifier : draw_enum<NetKind>(random);
  spec.tokenizer = draw_enum<TokenizerKind>(random);
  spec.vocab_size = draw_between(random, 2, limits.vocab_size);
  spec.reader = draw_reader_spec(random, limits);
  if (spec.is_extractive() && spec.reader.kind == ReaderKind::lstm_jump)
    spec.reader.kind = ReaderKind::dense;
  if (spec.reader.kind != ReaderKind::lstm_jump) spec.reader.jump = {};
  spec.embedding_size = draw_between(random, 1, limits.input_size);
  spec.num_layers = draw_between(random, 1, limits.num_layers);
  spec.bidirectional = random.bernoulli(0.5);
  if (spec.net == NetKind::bidaf)
    spec.char_cnn = {.embedding_size = draw_between(random, 1, 5),
                     .num_filters = draw_between(random, 1, 7),
                     .kernel_size = draw_between(random, 1, 6)};
  spec.reader.input_size = spec.input_size();
  if (spec.net == NetKind::classifier) {
    spec.pooling = draw_enum<Pooling>(random);
    for (int count = draw_between(random, 1, 4); count > 0; --count)
      spec.labels.push_back("label" + std::to_string(count));
    spec.output = draw_enum<OutputActivation>(random);
    if (spec.output == OutputActivation::linear) spec.labels.clear();
  }
  draw_sentence_ends(random, spec);
  if (random.bernoulli(0.3)) {
    const int min_length = draw_between(random, 1, 4);
    spec.subwords = {min_length, draw_between(random, min_length, 6), draw_between(random, 1, 50)};
  }
  return spec;
}

}  // namespace skim
