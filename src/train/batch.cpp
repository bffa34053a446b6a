#include "train/batch.h"

#include <algorithm>
#include <numeric>

#include "train/noise.h"

namespace skim::train {
namespace {

// Shuffled stretches of so many batches are sorted by length before they are cut up: little
// difference in a batch, much between the orders of two epochs.
constexpr std::size_t kBatchesSorted = 32;

void shuffle(std::vector<std::size_t>& list, const Noise& noise) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[((noise.bits(i) >> 32) * i) >> 32]);
}

using WordList = std::vector<std::int32_t>;

// Appends all words of the lists to those of the batch.
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
      made.inside.data_ptr<bool>()[i * longest + j] = true;
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

void add_last_words(const std::vector<Item>& items, Batch& batch) {
  batch.lasts = torch::empty({batch.texts()}, torch::kLong);
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const Item& item = items[batch.items[static_cast<std::size_t>(i)]];
    batch.lasts.data_ptr<std::int64_t>()[i] = item.answers.empty() ? 0 : item.answers[0].last;
  }
}

void add_choices(const std::vector<Item>& items, Batch& batch) {
  static const WordList kNone;
  std::size_t most = 1;
  for (const std::size_t item : batch.items) most = std::max(most, items[item].choices.size());
  batch.no_choice = torch::ones({batch.texts(), static_cast<std::int64_t>(most)}, torch::kBool);
  std::vector<const WordList*> lists;
  for (const std::size_t item : batch.items) {
    for (std::size_t i = 0; i < most; ++i) {
      const bool there = i < items[item].choices.size();
      batch.no_choice.data_ptr<bool>()[lists.size()] = !there;
      lists.push_back(there ? &items[item].choices[i] : &kNone);
    }
  }
  batch.choices = append(lists, batch.words);
}

}  // namespace

std::vector<std::int32_t> words_of(const Item& item) {
  std::vector<std::int32_t> all = item.words;
  all.insert(all.end(), item.question.begin(), item.question.end());
  for (const WordList& choice : item.choices) all.insert(all.end(), choice.begin(), choice.end());
  return all;
}

namespace {

// Order, steps and mirror of lists of words, given how long they are.
void pack(std::vector<std::size_t> chosen, const std::vector<std::int64_t>& length_of,
          Batch& batch) {
  std::vector<std::size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return length_of[left] > length_of[right];
  });
  for (const std::size_t place : order) {
    batch.items.push_back(chosen[place]);
    batch.lengths.push_back(length_of[place]);
  }
  batch.asked.assign(order.size(), 0);
  batch.steps = Steps::of(batch.lengths);
  batch.last = torch::empty({batch.texts()}, torch::kLong);
  batch.reversed = torch::empty({batch.rows()}, torch::kLong);
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const std::int64_t length = batch.lengths[static_cast<std::size_t>(i)];
    batch.last.data_ptr<std::int64_t>()[i] = batch.steps.row(i, length - 1);
    for (std::int64_t t = 0; t < length; ++t)
      batch.reversed.data_ptr<std::int64_t>()[batch.steps.row(i, t)] =
          batch.steps.row(i, length - 1 - t);
  }
}

// Sends each word of each list to its packed row.
template <class ListOf, class Put>
void for_packed(const Batch& batch, ListOf list_of, Put put) {
  for (std::int64_t i = 0; i < batch.texts(); ++i) {
    const std::vector<std::int32_t>& list = list_of(batch.items[static_cast<std::size_t>(i)]);
    for (std::int64_t t = 0; t < batch.lengths[static_cast<std::size_t>(i)]; ++t)
      put(batch.steps.row(i, t), list[static_cast<std::size_t>(t)]);
  }
}

// Each spelling once, its letters, and where it occurs.
void add_spellings(const std::vector<Item>& items, Batch& batch) {
  const Spellings& all = *items[batch.items.front()].spellings;
  std::vector<std::int32_t> used;
  for (const std::size_t item : batch.items) {
    for (const auto* list : {&items[item].text_spelled, &items[item].question_spelled})
      used.insert(used.end(), list->begin(), list->end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  batch.words.clear();
  std::vector<WordList> bytes;
  for (const std::int32_t one : used) {
    const auto place = static_cast<std::size_t>(one);
    batch.words.push_back(all.ids[place]);
    bytes.emplace_back();
    for (const char letter : all.letters[place])
      bytes.back().push_back(static_cast<unsigned char>(letter));
  }
  std::vector<const WordList*> lists;
  for (const WordList& list : bytes) lists.push_back(&list);
  WordList flat;
  batch.letters = append(lists, flat);
  // Rows of letters' vectors instead of places in the flat list.
  auto* index = batch.letters.index.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < batch.letters.index.numel(); ++i)
    if (batch.letters.inside.data_ptr<bool>()[i])
      index[i] = flat[static_cast<std::size_t>(index[i])];
  const auto rows_of = [&](const Batch& packed, auto list_of) {
    torch::Tensor rows = torch::empty({packed.rows()}, torch::kLong);
    for_packed(packed, list_of, [&](std::int64_t row, std::int32_t spelling) {
      rows.data_ptr<std::int64_t>()[row] =
          std::lower_bound(used.begin(), used.end(), spelling) - used.begin();
    });
    return rows;
  };
  batch.text_rows =
      rows_of(batch, [&](std::size_t item) -> const WordList& { return items[item].text_spelled; });
  batch.questions = std::make_shared<Batch>();
  std::vector<std::int64_t> lengths;
  for (const std::size_t item : batch.items)
    lengths.push_back(static_cast<std::int64_t>(items[item].question.size()));
  pack(batch.items, lengths, *batch.questions);
  batch.questions->text_rows = rows_of(*batch.questions, [&](std::size_t item) -> const WordList& {
    return items[item].question_spelled;
  });
  batch.question_of = torch::empty({batch.texts()}, torch::kLong);
  for (std::size_t i = 0; i < batch.items.size(); ++i) {
    const auto& order = batch.questions->items;
    batch.question_of.data_ptr<std::int64_t>()[i] =
        std::find(order.begin(), order.end(), batch.items[i]) - order.begin();
  }
}

void add_opinions(const std::vector<Item>& items, Batch& batch) {
  const auto texts = batch.texts();
  const std::int64_t parts = items[batch.items.front()].answers.empty() ? 1 : 2;
  std::size_t longest = 0;
  for (const std::size_t item : batch.items) longest = std::max(longest, items[item].taught.size());
  const auto most = static_cast<std::int64_t>(longest) / parts;
  batch.taught = torch::zeros({texts, parts, most});
  batch.labelled = torch::empty({texts});
  for (std::int64_t i = 0; i < texts; ++i) {
    const Item& item = items[batch.items[static_cast<std::size_t>(i)]];
    const auto size = static_cast<std::int64_t>(item.taught.size()) / parts;
    for (std::int64_t part = 0; part < parts; ++part)
      std::copy_n(item.taught.begin() + part * size, size,
                  batch.taught.data_ptr<float>() + (i * parts + part) * most);
    batch.labelled.data_ptr<float>()[i] = item.labelled ? 1 : 0;
  }
  if (parts == 1) batch.taught = batch.taught.squeeze(1);
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
    batch.asked[static_cast<std::size_t>(i)] = item.asked;
  }
  if (!items[batch.items.front()].taught.empty()) add_opinions(items, batch);
  for_packed(
      batch, [&](std::size_t item) -> const WordList& { return items[item].words; },
      [&](std::int64_t row, std::int32_t word) {
        batch.words[static_cast<std::size_t>(row)] = word;
      });
  const Item& one = items[batch.items.front()];
  if (!one.question.empty()) add_last_words(items, batch);
  if (!one.question.empty() && !one.spellings) add_questions(items, batch);
  if (!one.choices.empty()) add_choices(items, batch);
  if (one.spellings) add_spellings(items, batch);
  return batch;
}

torch::Tensor text_of_rows(const Batch& batch) {
  torch::Tensor index = torch::empty({batch.rows()}, torch::kLong);
  for (std::int64_t t = 0; t < batch.steps.count(); ++t)
    for (std::int64_t i = 0; i < batch.steps.size(t); ++i)
      index.data_ptr<std::int64_t>()[batch.steps.row(i, t)] = i;
  return index;
}

Schedule::Schedule(const std::vector<Item>& items, std::size_t batch, std::uint64_t seed)
    : items_(items), batch_(batch), seed_(seed) {}

const std::vector<std::size_t>& Schedule::at(std::size_t step) {
  const std::size_t epoch = step / steps_an_epoch();
  if (epoch != planned_) plan(epoch);
  return batches_[step % steps_an_epoch()];
}

void Schedule::plan(std::size_t epoch) {
  const Noise noise = Noise(seed_).at(0xBA7C).at(epoch);
  std::vector<std::size_t> order(items_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(order, noise.at(0));
  for (std::size_t first = 0; first < order.size(); first += batch_ * kBatchesSorted) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(order.size(), first + batch_ * kBatchesSorted));
    std::stable_sort(begin, end, [&](std::size_t left, std::size_t right) {
      return items_[left].words.size() > items_[right].words.size();
    });
  }
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t first = 0; first < order.size(); first += batch_) {
    const std::size_t last = std::min(order.size(), first + batch_);
    batches.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(last));
  }
  std::vector<std::size_t> places(batches.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  shuffle(places, noise.at(1));
  batches_.clear();
  for (const std::size_t place : places) batches_.push_back(std::move(batches[place]));
  planned_ = epoch;
}

std::vector<std::vector<std::size_t>> by_length(const std::vector<Item>& items, std::size_t rows) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return items[left].words.size() > items[right].words.size();
  });
  std::vector<std::vector<std::size_t>> batches;
  std::size_t filled = rows;
  for (const std::size_t item : order) {
    if (filled + items[item].words.size() > rows) {
      batches.emplace_back();
      filled = 0;
    }
    batches.back().push_back(item);
    filled += items[item].words.size();
  }
  return batches;
}

}  // namespace skim::train
