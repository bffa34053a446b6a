#include "train/batch_targets.h"

#include <algorithm>

namespace skim::train {
namespace {

// Calls put(text, item) for each text of the batch.
template <class Put>
void for_texts(const std::vector<Item>& items, const Batch& batch, Put put) {
  for (std::size_t i = 0; i < batch.items.size(); ++i) put(i, items[batch.items[i]]);
}

void add_label_sets(const std::vector<Item>& items, std::size_t num_labels, Batch& batch) {
  batch.label_sets = torch::zeros({batch.texts(), static_cast<std::int64_t>(num_labels)});
  float* const sets = batch.label_sets.data_ptr<float>();
  for_texts(items, batch, [&](std::size_t text, const Item& item) {
    for (const std::int32_t label : item.labels)
      sets[text * num_labels + static_cast<std::size_t>(label)] = 1;
  });
}

void add_values(const std::vector<Item>& items, Batch& batch) {
  batch.values = torch::empty({batch.texts()});
  float* const values = batch.values.data_ptr<float>();
  for_texts(items, batch,
            [&](std::size_t text, const Item& item) { values[text] = item.value.value_or(0.0F); });
}

void add_weights(const std::vector<Item>& items, Batch& batch) {
  const bool weighted = std::any_of(batch.items.begin(), batch.items.end(),
                                    [&](std::size_t item) { return items[item].weight != 1; });
  if (!weighted) return;
  batch.text_weights = torch::empty({batch.texts()});
  float* const weights = batch.text_weights.data_ptr<float>();
  for_texts(items, batch, [&](std::size_t text, const Item& item) { weights[text] = item.weight; });
}

}  // namespace

void add_targets(const std::vector<Item>& items, Batch& batch) {
  const Item& first = items[batch.items.front()];
  if (first.num_labels > 0) add_label_sets(items, first.num_labels, batch);
  if (first.value) add_values(items, batch);
  add_weights(items, batch);
}

}  // namespace skim::train
