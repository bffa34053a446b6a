// Specs and queries for the laws of batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "skim/query.h"
#include "skim/spec.h"
#include "tests/support/random_draft.h"

namespace skim {

// A classifier with one layer in one direction, whose texts are read several at once unless its
// cell is a tanh RNN.
inline ModelSpec batch_spec(ReaderKind kind, Cell cell, Pooling pooling, WeightType weights) {
  ModelSpec spec;
  spec.tokenizer = TokenizerKind::whitespace;
  spec.vocab_size = 40;
  spec.embedding_size = 11;
  spec.reader.kind = kind;
  spec.reader.cell = cell;
  spec.reader.input_size = 11;
  spec.reader.hidden_size = 19;
  spec.reader.skim_sizes.clear();
  if (kind == ReaderKind::skim) spec.reader.skim_sizes = {5};
  spec.pooling = pooling;
  spec.weight_type = weights;
  spec.labels = {"no", "maybe", "yes"};
  return spec;
}

// Every pooling, cell and weight type, dense and skim.
inline std::vector<ModelSpec> batch_specs() {
  std::vector<ModelSpec> specs;
  for (const ReaderKind kind : {ReaderKind::skim, ReaderKind::dense})
    for (const Cell cell : {Cell::lstm, Cell::gru, Cell::rnn})
      for (const Pooling pooling : {Pooling::last, Pooling::max, Pooling::mean, Pooling::attention})
        for (const WeightType weights : {WeightType::f32, WeightType::bf16, WeightType::int8})
          specs.push_back(batch_spec(kind, cell, pooling, weights));
  return specs;
}

// The paper's sizes for IMDb.
inline ModelSpec paper_spec(ReaderKind kind, Pooling pooling) {
  ModelSpec spec = batch_spec(kind, Cell::lstm, pooling, WeightType::f32);
  spec.vocab_size = 2000;
  spec.embedding_size = spec.reader.input_size = spec.reader.hidden_size = 100;
  if (kind == ReaderKind::skim) spec.reader.skim_sizes = {10};
  return spec;
}

inline std::vector<Query> queries_of_lengths(const ModelSpec& spec,
                                             const std::vector<std::size_t>& lengths) {
  std::vector<Query> queries;
  for (const std::size_t words : lengths)
    queries.push_back({random_text(spec, words, queries.size()), {}, {}});
  return queries;
}

}  // namespace skim
