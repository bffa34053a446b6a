// From the files a training names to what it learns from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"
#include "train/corpus.h"
#include "train/options.h"
#include "train/start.h"

namespace skim::train {

struct TrainingData {
  Dataset train, dev;
  std::optional<Start> start;
  Vocabulary vocabulary;
  std::vector<Item> train_items, dev_items;
};

// Fills in what the data says about the model: labels, number of words, their width. `message`
// hears what is being done.
Result<TrainingData> load_training_data(const Job& job, ModelSpec& spec,
                                        const std::function<void(const std::string&)>& message);

// So many of them at most, evenly spread; all for 0.
void keep_evenly(std::vector<Example>& examples, std::size_t most);

}  // namespace skim::train
