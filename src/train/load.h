// Loads the files of a training run and encodes them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"
#include "train/corpus.h"
#include "train/initial_weights.h"
#include "train/options.h"
#include "train/target_scale.h"

namespace skim::train {

struct TrainingData {
  Dataset train, dev;
  std::optional<InitialWeights> start;
  Vocabulary vocabulary;
  // Where pretrained embeddings came from, and how much of the training texts has one.
  std::string embedding_source;                     // a path; empty for none
  std::optional<std::uint64_t> embedding_checksum;  // none with --start-from alone
  Coverage coverage;
  std::vector<Item> train_items, dev_items;
  std::vector<float> label_weights;  // FitOptions::label_weights
  TargetScale target_scale;          // of regression, whose items have standardized numbers
};

// Loads the data and fills in the parts of `spec` that depend on it: tokenizer, labels,
// vocab_size, embedding_size, sentence_end_ids. `message` is called with progress and warnings.
Result<TrainingData> load_training_data(const Job& job, ModelSpec& spec,
                                        const std::function<void(const std::string&)>& message);

// "glove.txt has 90 of 100 words of the training texts, 98.0 % of their tokens", or "random".
std::string describe_embeddings(const std::string& source, const Coverage& coverage);

// Keeps at most `limit` examples, evenly spread; all for 0.
void subsample(std::vector<Example>& examples, std::size_t limit);

}  // namespace skim::train
