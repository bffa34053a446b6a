#include "train/batch.h"

#include <algorithm>
#include <numeric>

#include "train/batch_targets.h"
#include "train/counter_rng.h"

namespace skim::train {
namespace {

// Items are sorted by length within buckets of so many batches: lengths in a batch are similar, and
// yet the batches of two epochs differ.
constexpr std::size_t kBatchesPerBucket = 32;

void shuffle(std::vector<std::size_t>& list, const CounterRng& rng) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[((rng.bits(i) >> 32) * i) >> 32]);
}

using WordList = std::vector<std::int32_t>;

// Appends the words of the lists to `words`.
Padded append(const std::vector<const WordList*>& lists, std::vector<std::int32_t>& words) {
  std::size_t longest = 1;
  for (const WordList* list : lists) longest = std::max(longest, list->size());
  const auto count = static_cast<std::int64_t>(lists.size());
  const auto width = static_cast<std::int64_t>(longest);
  Padded made{torch::zeros({count, width}, torch::kLong),
              torch::zeros({count, width}, torch::kBool)};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (std::size_t j = 0; j < lists[i]->size(); ++j) {
      made.index.data_ptr<std::int64_t>()[i * longest + j] =
          static_cast<std::int64_t>(words.size());
      made.mask.data_ptr<bool>()[i * longest + j] = true;
      words.push_back((*lists[i])[j]);
    }
  }
  return made;
}

void add_questions(const std::vector<Item>& items, Batch& batch) {
  std::vector<const WordList*> lists;
  for (const std::size_t item : batch.items) lists.push_back(&items[item].question);
  batch.question = append(lists, batch.words);
}

void add_answer_ends(const std::vector<Item>& items, Batch& batch) {
  batch.answer_ends = torch::empty({batch.texts()}, torch::kLong);
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const Item& item = items[batch.items[static_cast<std::size_t>(i)]];
    batch.answer_ends.data_ptr<std::int64_t>()[i] = item.answers.empty() ? 0 : item.answers[0].last;
  }
}

void add_choices(const std::vector<Item>& items, Batch& batch) {
  static const WordList kNone;
  std::size_t max_choices = 1;
  for (const std::size_t item : batch.items)
    max_choices = std::max(max_choices, items[item].choices.size());
  batch.choice_padding =
      torch::ones({batch.texts(), static_cast<std::int64_t>(max_choices)}, torch::kBool);
  std::vector<const WordList*> lists;
  for (const std::size_t item : batch.items) {
    for (std::size_t i = 0; i < max_choices; ++i) {
      const bool exists = i < items[item].choices.size();
      batch.choice_padding.data_ptr<bool>()[lists.size()] = !exists;
      lists.push_back(exists ? &items[item].choices[i] : &kNone);
    }
  }
  batch.choices = append(lists, batch.words);
}

}  // namespace

std::vector<std::int32_t> all_word_ids(const Item& item) {
  std::vector<std::int32_t> all = item.words;
  all.insert(all.end(), item.question.begin(), item.question.end());
  for (const WordList& choice : item.choices) all.insert(all.end(), choice.begin(), choice.end());
  return all;
}

namespace {

// Sets order, steps, last rows and reversal of a batch of sequences with the given lengths.
void pack(std::vector<std::size_t> chosen, const std::vector<std::int64_t>& lengths, Batch& batch) {
  std::vector<std::size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return lengths[left] > lengths[right];
  });
  for (const std::size_t place : order) {
    batch.items.push_back(chosen[place]);
    batch.lengths.push_back(lengths[place]);
  }
  batch.question_length.assign(order.size(), 0);
  batch.steps = PackedSteps::from_lengths(batch.lengths);
  batch.last_rows = torch::empty({batch.texts()}, torch::kLong);
  batch.reversed = torch::empty({batch.rows()}, torch::kLong);
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const std::int64_t length = batch.lengths[static_cast<std::size_t>(i)];
    batch.last_rows.data_ptr<std::int64_t>()[i] = batch.steps.row(i, length - 1);
    for (std::int64_t t = 0; t < length; ++t)
      batch.reversed.data_ptr<std::int64_t>()[batch.steps.row(i, t)] =
          batch.steps.row(i, length - 1 - t);
  }
}

// Calls put(row, word) for each word of each list with its packed row.
template <class ListOf, class Put>
void for_packed(const Batch& batch, ListOf list_of, Put put) {
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const std::vector<std::int32_t>& list = list_of(batch.items[static_cast<std::size_t>(i)]);
    for (std::int64_t t = 0; t < batch.lengths[static_cast<std::size_t>(i)]; ++t)
      put(batch.steps.row(i, t), list[static_cast<std::size_t>(t)]);
  }
}

// Sets the spellings of a batch, their bytes, and the rows that have them.
void add_spellings(const std::vector<Item>& items, Batch& batch) {
  const Spellings& all = *items[batch.items.front()].spellings;
  std::vector<std::int32_t> used;
  for (const std::size_t item : batch.items) {
    for (const auto* list : {&items[item].text_spellings, &items[item].question_spellings})
      used.insert(used.end(), list->begin(), list->end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  batch.words.clear();
  std::vector<WordList> spellings;
  for (const std::int32_t one : used) {
    const auto place = static_cast<std::size_t>(one);
    batch.words.push_back(all.ids[place]);
    spellings.emplace_back();
    for (const char byte : all.chars[place])
      spellings.back().push_back(static_cast<unsigned char>(byte));
  }
  std::vector<const WordList*> lists;
  for (const WordList& list : spellings) lists.push_back(&list);
  WordList flat;
  batch.chars = append(lists, flat);
  // Bytes are the rows of the character embedding, so they replace the places in `flat`.
  auto* index = batch.chars.index.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < batch.chars.index.numel(); ++i)
    if (batch.chars.mask.data_ptr<bool>()[i]) index[i] = flat[static_cast<std::size_t>(index[i])];
  const auto rows_of = [&](const Batch& packed, auto list_of) {
    torch::Tensor rows = torch::empty({packed.rows()}, torch::kLong);
    for_packed(packed, list_of, [&](std::int64_t row, std::int32_t spelling) {
      rows.data_ptr<std::int64_t>()[row] =
          std::lower_bound(used.begin(), used.end(), spelling) - used.begin();
    });
    return rows;
  };
  batch.spelling_rows = rows_of(
      batch, [&](std::size_t item) -> const WordList& { return items[item].text_spellings; });
  batch.questions = std::make_shared<Batch>();
  std::vector<std::int64_t> lengths;
  for (const std::size_t item : batch.items)
    lengths.push_back(static_cast<std::int64_t>(items[item].question.size()));
  pack(batch.items, lengths, *batch.questions);
  batch.questions->spelling_rows =
      rows_of(*batch.questions,
              [&](std::size_t item) -> const WordList& { return items[item].question_spellings; });
  batch.question_index = torch::empty({batch.texts()}, torch::kLong);
  for (std::size_t i = 0; i < batch.items.size(); ++i) {
    const auto& order = batch.questions->items;
    batch.question_index.data_ptr<std::int64_t>()[i] =
        std::find(order.begin(), order.end(), batch.items[i]) - order.begin();
  }
}

void add_soft_targets(const std::vector<Item>& items, Batch& batch) {
  const auto texts = batch.texts();
  const std::int64_t parts = items[batch.items.front()].answers.empty() ? 1 : 2;
  std::size_t longest = 0;
  for (const std::size_t item : batch.items)
    longest = std::max(longest, items[item].soft_targets.size());
  const auto columns = static_cast<std::int64_t>(longest) / parts;
  batch.soft_targets = torch::zeros({texts, parts, columns});
  batch.labelled = torch::empty({texts});
  for (std::int64_t i = 0; i < texts; ++i) {
    const Item& item = items[batch.items[static_cast<std::size_t>(i)]];
    const auto size = static_cast<std::int64_t>(item.soft_targets.size()) / parts;
    for (std::int64_t part = 0; part < parts; ++part)
      std::copy_n(item.soft_targets.begin() + part * size, size,
                  batch.soft_targets.data_ptr<float>() + (i * parts + part) * columns);
    batch.labelled.data_ptr<float>()[i] = item.labelled ? 1 : 0;
  }
  if (parts == 1) batch.soft_targets = batch.soft_targets.squeeze(1);
}

void add_distilled(const std::vector<Item>& items, Batch& batch) {
  batch.distilled = torch::empty({batch.texts()}, torch::kBool);
  for (std::size_t i = 0; i < batch.items.size(); ++i)
    batch.distilled.data_ptr<bool>()[i] = !items[batch.items[i]].soft_targets.empty();
}

}  // namespace

Batch make_batch(const std::vector<Item>& items, std::vector<std::size_t> chosen) {
  Batch batch;
  std::vector<std::int64_t> lengths;
  for (const std::size_t item : chosen)
    lengths.push_back(static_cast<std::int64_t>(items[item].words.size()));
  pack(std::move(chosen), lengths, batch);
  const auto texts = batch.texts();
  batch.labels = torch::empty({texts}, torch::kLong);
  batch.words.resize(static_cast<std::size_t>(batch.rows()));
  for (std::int64_t i = 0; i < texts; ++i) {
    const Item& item = items[batch.items[static_cast<std::size_t>(i)]];
    batch.labels.data_ptr<std::int64_t>()[i] = item.label;
    batch.question_length[static_cast<std::size_t>(i)] = item.question_length;
  }
  add_targets(items, batch);
  const auto count = std::count_if(batch.items.begin(), batch.items.end(), [&](std::size_t item) {
    return !items[item].soft_targets.empty();
  });
  if (count > 0) add_soft_targets(items, batch);
  if (count > 0 && count < texts) add_distilled(items, batch);
  for_packed(
      batch, [&](std::size_t item) -> const WordList& { return items[item].words; },
      [&](std::int64_t row, std::int32_t word) {
        batch.words[static_cast<std::size_t>(row)] = word;
      });
  const Item& first = items[batch.items.front()];
  if (!first.question.empty()) add_answer_ends(items, batch);
  if (!first.question.empty() && !first.spellings) add_questions(items, batch);
  if (!first.choices.empty()) add_choices(items, batch);
  if (first.spellings) add_spellings(items, batch);
  return batch;
}

torch::Tensor row_texts(const Batch& batch) {
  torch::Tensor index = torch::empty({batch.rows()}, torch::kLong);
  for (std::int64_t t = 0; t < batch.steps.count(); ++t)
    for (std::int64_t i = 0; i < batch.steps.size(t); ++i)
      index.data_ptr<std::int64_t>()[batch.steps.row(i, t)] = i;
  return index;
}

BatchSampler::BatchSampler(const std::vector<Item>& items, std::size_t batch_size,
                           std::uint64_t seed)
    : items_(items), batch_size_(batch_size), seed_(seed) {}

const std::vector<std::size_t>& BatchSampler::at(std::size_t step) {
  const std::size_t epoch = step / steps_per_epoch();
  if (epoch != epoch_) shuffle_epoch(epoch);
  return batches_[step % steps_per_epoch()];
}

void BatchSampler::shuffle_epoch(std::size_t epoch) {
  const CounterRng rng = CounterRng(seed_).at(0xBA7C).at(epoch);
  std::vector<std::size_t> order(items_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, rng.at(0));
  for (std::size_t first = 0; first < order.size(); first += batch_size_ * kBatchesPerBucket) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(
                                         order.size(), first + batch_size_ * kBatchesPerBucket));
    std::stable_sort(begin, end, [&](std::size_t left, std::size_t right) {
      return items_[left].words.size() > items_[right].words.size();
    });
  }
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t first = 0; first < order.size(); first += batch_size_) {
    const std::size_t last = std::min(order.size(), first + batch_size_);
    batches.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(last));
  }
  std::vector<std::size_t> batch_order(batches.size());
  std::iota(batch_order.begin(), batch_order.end(), std::size_t{0});
  shuffle(batch_order, rng.at(1));
  batches_.clear();
  for (const std::size_t place : batch_order) batches_.push_back(std::move(batches[place]));
  epoch_ = epoch;
}

std::vector<std::vector<std::size_t>> batch_by_length(const std::vector<Item>& items,
                                                      std::size_t max_rows) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return items[left].words.size() > items[right].words.size();
  });
  std::vector<std::vector<std::size_t>> batches;
  std::size_t filled = max_rows;
  for (const std::size_t item : order) {
    if (filled + items[item].words.size() > max_rows) {
      batches.emplace_back();
      filled = 0;
    }
    batches.back().push_back(item);
    filled += items[item].words.size();
  }
  return batches;
}

}  // namespace skim::train
