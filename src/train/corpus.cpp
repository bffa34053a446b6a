#include "train/corpus.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "tasks/labels.h"
#include "text/normal_form.h"
#include "text/tokenizer.h"
#include "text/vocab.h"
#include "train/noise.h"

namespace skim::train {
namespace {

std::vector<std::pair<std::string, std::size_t>> count_words(const Dataset& data,
                                                             Tokenizer tokenizer) {
  std::unordered_map<std::string, std::size_t> counts;
  std::vector<Word> words;
  for (const Example& example : data.examples) {
    const std::string& text = example.query.text;
    tokenize(text, tokenizer, words);
    for (const Word& word : words)
      ++counts[normal_form(std::string_view(text).substr(word.begin, word.end - word.begin))];
  }
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
    return left.second != right.second ? left.second > right.second : left.first < right.first;
  });
  return sorted;
}

}  // namespace

Vocabulary make_vocabulary(const Dataset& data, Tokenizer tokenizer, const WordVectors* vectors,
                           const VocabularyOptions& options) {
  Vocabulary made;
  made.width = vectors == nullptr ? options.width : static_cast<std::int64_t>(vectors->width);
  const auto width = static_cast<std::size_t>(made.width);
  std::unordered_map<std::string_view, std::size_t> rows;
  for (std::size_t i = 0; vectors != nullptr && i < vectors->words.size(); ++i)
    rows.emplace(vectors->words[i], i);
  const Noise noise(options.seed);
  const auto add = [&](const std::string& word, const float* vector) {
    const Noise values = noise.at(made.words.size());
    made.words.push_back(word);
    made.known.push_back(vector != nullptr ? 1 : 0);
    for (std::size_t i = 0; i < width; ++i)
      made.vectors.push_back(vector != nullptr ? vector[i] : (values.share(i) - 0.5F) * 0.2F);
  };
  add("<unknown>", nullptr);
  std::unordered_set<std::string> taken = {"<unknown>"};
  for (const auto& [word, count] : count_words(data, tokenizer)) {
    if (made.words.size() >= options.most) break;
    const auto row = rows.find(word);
    const bool known = row != rows.end();
    if (!known && count < options.fewest) continue;
    if (!taken.insert(word).second) continue;
    add(word, known ? vectors->values.data() + row->second * width : nullptr);
    if (count >= options.tuned_from) made.frequent = made.words.size();
  }
  for (std::size_t i = 0; vectors != nullptr && i < vectors->words.size(); ++i) {
    if (made.words.size() >= options.most) break;
    // An entry that is not its own normal form would never be found.
    if (normal_form(vectors->words[i]) != vectors->words[i]) continue;
    if (taken.insert(vectors->words[i]).second)
      add(vectors->words[i], vectors->values.data() + i * width);
  }
  return made;
}

Result<std::vector<Item>> encode_items(const Dataset& data, const Vocabulary& vocabulary,
                                       Tokenizer tokenizer, std::span<const std::string> labels,
                                       std::size_t most_words) {
  const Result<std::vector<int>> truth = label_indices(data, labels);
  if (!truth) return tl::unexpected(truth.error());
  const std::vector<std::string_view> words(vocabulary.words.begin(), vocabulary.words.end());
  const Result<Vocab> vocab = Vocab::create(words);
  if (!vocab) return tl::unexpected(vocab.error());
  std::vector<Item> items;
  std::vector<Word> extents;
  std::vector<WordId> ids;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    encode(data.examples[i].query.text, tokenizer, *vocab, extents, ids);
    if (ids.size() > most_words) ids.resize(most_words);
    if (ids.empty()) ids.push_back(kUnknown);
    items.push_back({{ids.begin(), ids.end()}, (*truth)[i], {}});
  }
  return items;
}

Dataset split_off(Dataset& data, double share, std::uint64_t seed) {
  Dataset part{data.name + " (split off)", {}};
  Dataset rest{data.name, {}};
  const Noise noise = Noise(seed).at(0x5917);
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const bool out = noise.share(i) < static_cast<float>(share);
    (out ? part : rest).examples.push_back(std::move(data.examples[i]));
  }
  data = std::move(rest);
  return part;
}

}  // namespace skim::train
