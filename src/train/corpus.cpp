#include "train/corpus.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/result_macros.h"
#include "spec/char_cnn.h"
#include "tasks/label_sets.h"
#include "tasks/labels.h"
#include "tasks/word_range.h"
#include "text/normalize.h"
#include "text/tokenizer.h"
#include "text/vocab.h"
#include "train/counter_rng.h"

namespace skim::train {

WordCounts count_words(const Dataset& data, TokenizerKind tokenizer) {
  std::unordered_map<std::string, std::size_t> counts;
  std::vector<TokenSpan> words;
  for (const Example& example : data.examples) {
    for (const std::string* text : {&example.query.text, &example.query.question}) {
      tokenize(*text, tokenizer, words);
      for (const TokenSpan& word : words)
        ++counts[normalize(std::string_view(*text).substr(word.begin, word.end - word.begin),
                           tokenizer)];
    }
  }
  WordCounts sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
    return left.second != right.second ? left.second > right.second : left.first < right.first;
  });
  return sorted;
}

Coverage measure_coverage(const WordCounts& counts,
                          const std::function<bool(const std::string&)>& covers) {
  Coverage coverage;
  for (const auto& [word, count] : counts) {
    const bool covered = covers(word);
    ++coverage.all_words;
    coverage.all_tokens += count;
    coverage.words += covered ? 1 : 0;
    coverage.tokens += covered ? count : 0;
  }
  return coverage;
}

Vocabulary make_vocabulary(const WordCounts& counts, const PretrainedEmbeddings* embeddings,
                           const VocabularyOptions& options) {
  Vocabulary made;
  made.embedding_size = embeddings == nullptr
                            ? options.embedding_size
                            : static_cast<std::int64_t>(embeddings->embedding_size);
  const auto size = static_cast<std::size_t>(made.embedding_size);
  std::unordered_map<std::string_view, std::size_t> rows;
  for (std::size_t i = 0; embeddings != nullptr && i < embeddings->words.size(); ++i)
    rows.emplace(embeddings->words[i], i);
  const CounterRng rng(options.seed);
  const auto add = [&](const std::string& word, const float* vector) {
    const CounterRng row_rng = rng.at(made.words.size());
    made.words.push_back(word);
    made.pretrained.push_back(vector != nullptr ? 1 : 0);
    for (std::size_t i = 0; i < size; ++i)
      made.embeddings.push_back(vector != nullptr ? vector[i] : (row_rng.uniform(i) - 0.5F) * 0.2F);
  };
  add("<unknown>", nullptr);
  made.counts.push_back(0);
  std::unordered_set<std::string> seen = {"<unknown>"};
  for (const auto& [word, count] : counts) {
    if (made.words.size() >= options.max_size) break;
    const auto row = rows.find(word);
    const bool pretrained = row != rows.end();
    if (!pretrained && count < options.min_count) continue;
    if (!seen.insert(word).second) continue;
    add(word, pretrained ? embeddings->values.data() + row->second * size : nullptr);
    made.counts.push_back(count);
    if (count >= options.trainable_min_count) made.num_trainable = made.words.size();
  }
  for (std::size_t i = 0; embeddings != nullptr && i < embeddings->words.size(); ++i) {
    if (made.words.size() >= options.max_size) break;
    // Lookups are of normalized words, so any other entry would never be found.
    if (normalize(embeddings->words[i], options.tokenizer) != embeddings->words[i]) continue;
    if (seen.insert(embeddings->words[i]).second)
      add(embeddings->words[i], embeddings->values.data() + i * size);
  }
  return made;
}

namespace {

class Encoder {
 public:
  Encoder(const Vocab& vocab, SubwordIndex* subwords, const ModelSpec& spec, std::size_t max_words)
      : vocab_(vocab), subwords_(subwords), spec_(spec), max_words_(max_words) {}

  // Encodes the text; the caller sets the label.
  Item encode_text(const Query& query) {
    Item item;
    item.words = encode_ids(query.text);
    if (item.words.size() > max_words_) item.words.resize(max_words_);
    if (item.words.empty()) item.words.push_back(kUnknown);
    return item;
  }

  // Encodes text and question as one sequence. The gap is in the question, which comes last, so a
  // long text loses its beginning.
  Item encode_cloze(const Example& example) {
    Item item;
    item.words = encode_ids(example.query.text);
    const std::vector<std::int32_t> question = encode_ids(example.query.question);
    item.words.insert(item.words.end(), question.begin(), question.end());
    if (item.words.size() > max_words_)
      item.words.erase(item.words.begin(),
                       item.words.end() - static_cast<std::ptrdiff_t>(max_words_));
    item.question_length = static_cast<std::int64_t>(std::min(question.size(), item.words.size()));
    if (item.words.empty()) item.words.push_back(kUnknown);
    for (const std::string& choice : example.query.choices)
      item.choices.push_back(encode_ids(choice));
    return item;
  }

  // Encodes text, question and the answers that lie in the words that are kept.
  Item encode_question(const Example& example) {
    Item item = encode_text(example.query);
    const std::vector<TokenSpan> words = spans_;
    item.question = encode_ids(example.query.question);
    if (item.question.empty()) item.question.push_back(kUnknown);
    for (const GoldAnswer& answer : example.answers) {
      const auto span = find_word_range(words, answer);
      if (!span || span->last >= item.words.size()) continue;
      item.answers.push_back(
          {static_cast<std::int64_t>(span->first), static_cast<std::int64_t>(span->last)});
    }
    if (!item.answers.empty()) item.label = item.answers[0].first;
    if (spec_.net == NetKind::bidaf) add_spellings(example.query, words, item);
    return item;
  }

 private:
  // Sets the spelling of each word.
  void add_spellings(const Query& query, const std::vector<TokenSpan>& words, Item& item) {
    item.spellings = spellings_;
    const auto add_all = [&](const std::string& text, const std::vector<TokenSpan>& spans,
                             const std::vector<std::int32_t>& ids,
                             std::vector<std::int32_t>& into) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string_view word =
            i < spans.size()
                ? std::string_view(text).substr(spans[i].begin, spans[i].end - spans[i].begin)
                : std::string_view();
        into.push_back(intern_spelling(char_cnn_bytes(normalize(word, spec_.tokenizer)), ids[i]));
      }
    };
    add_all(query.text, words, item.words, item.text_spellings);
    add_all(query.question, spans_, item.question, item.question_spellings);
  }

  // The index of a spelling, which is added when it is new.
  std::int32_t intern_spelling(std::string chars, std::int32_t id) {
    const auto [entry, inserted] = spelling_indices_.emplace(
        std::pair(chars, id), static_cast<std::int32_t>(spelling_indices_.size()));
    if (inserted) {
      spellings_->chars.push_back(std::move(chars));
      spellings_->ids.push_back(id);
    }
    return entry->second;
  }

  std::vector<std::int32_t> encode_ids(const std::string& text) {
    skim::encode(text, spec_.tokenizer, vocab_, spans_, ids_);
    std::vector<std::int32_t> ids(ids_.begin(), ids_.end());
    for (std::size_t i = 0; subwords_ != nullptr && i < ids.size(); ++i) {
      if (ids_[i] == kUnknown)
        ids[i] = subwords_->add_unknown(
            std::string_view(text).substr(spans_[i].begin, spans_[i].end - spans_[i].begin));
    }
    return ids;
  }

  const Vocab& vocab_;
  SubwordIndex* subwords_;  // null without subwords
  const ModelSpec& spec_;
  std::size_t max_words_;
  std::vector<TokenSpan> spans_;
  std::vector<WordId> ids_;
  std::shared_ptr<Spellings> spellings_ = std::make_shared<Spellings>();
  std::map<std::pair<std::string, std::int32_t>, std::int32_t> spelling_indices_;
};

}  // namespace

Result<void> check_task(const Dataset& data, NetKind net) {
  for (const Example& example : data.examples) {
    const std::string where = data.name + ", line " + std::to_string(example.line) + ": ";
    const bool choices = !example.query.choices.empty(), answers = !example.answers.empty();
    if (net == NetKind::classifier && (choices || answers))
      return fail(Fault::argument,
                  where + "is a question; train on it with --task " + (choices ? "cloze" : "span"));
    if (net != NetKind::classifier && net != NetKind::cloze && !answers)
      return fail(Fault::argument,
                  where + "has no answer in the text, which --task span and bidaf need");
  }
  return {};
}

namespace {

// What the examples of a data set are labelled with.
struct Targets {
  std::vector<int> labels;                   // of a label or a choice per example
  std::vector<std::vector<int>> label_sets;  // of multi-label nets
  std::size_t num_labels = 0;                // likewise
  bool numbers = false;                      // of regression nets
};

Result<Targets> find_targets(const Dataset& data, const ModelSpec& spec) {
  Targets targets;
  if (spec.net == NetKind::cloze) {
    SKIM_ASSIGN_OR_RETURN(targets.labels, choice_indices(data));
  }
  if (spec.net != NetKind::classifier) return targets;
  targets.numbers = spec.output == OutputActivation::linear;
  if (spec.output == OutputActivation::softmax) {
    SKIM_ASSIGN_OR_RETURN(targets.labels, label_indices(data, spec.labels));
  }
  if (spec.output == OutputActivation::sigmoid) {
    SKIM_ASSIGN_OR_RETURN(targets.label_sets, label_set_indices(data, spec.labels));
    targets.num_labels = spec.labels.size();
  }
  return targets;
}

void set_target(const Targets& targets, const Example& example, std::size_t index, Item& item) {
  item.weight = example.weight;
  item.soft_targets = example.probabilities;
  item.labelled = example.labelled;
  if (!targets.labels.empty()) item.label = targets.labels[index];
  if (targets.numbers) item.value = static_cast<float>(example.value);
  item.num_labels = targets.num_labels;
  if (!targets.label_sets.empty())
    item.labels.assign(targets.label_sets[index].begin(), targets.label_sets[index].end());
}

}  // namespace

Result<Items> encode_items(const Dataset& data, const Vocabulary& vocabulary, const ModelSpec& spec,
                           std::size_t max_words) {
  SKIM_RETURN_IF_ERROR(check_task(data, spec.net));
  const std::vector<std::string_view> words(vocabulary.words.begin(), vocabulary.words.end());
  SKIM_ASSIGN_OR_RETURN(const Vocab vocab, Vocab::create(words, spec.tokenizer));
  SKIM_ASSIGN_OR_RETURN(const Targets targets, find_targets(data, spec));
  Encoder encoder(vocab, vocabulary.subwords.get(), spec, max_words);
  Items made;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const Example& example = data.examples[i];
    Item item = spec.is_extractive()         ? encoder.encode_question(example)
                : spec.net == NetKind::cloze ? encoder.encode_cloze(example)
                                             : encoder.encode_text(example.query);
    if (spec.is_extractive() && item.answers.empty()) {
      ++made.num_without_answer;
      continue;
    }
    set_target(targets, example, i, item);
    item.example = i;
    made.items.push_back(std::move(item));
  }
  return made;
}

std::vector<float> label_log_odds(const std::vector<Item>& items) {
  std::vector<double> counts(items.front().num_labels, 1);  // Laplace smoothing
  for (const Item& item : items) {
    for (const std::int32_t label : item.labels) counts[static_cast<std::size_t>(label)] += 1;
  }
  const auto all = static_cast<double>(items.size() + 2);
  std::vector<float> log_odds;
  for (const double count : counts)
    log_odds.push_back(static_cast<float>(std::log(count / (all - count))));
  return log_odds;
}

Dataset split_dev(Dataset& data, double fraction, std::uint64_t seed) {
  Dataset dev{data.name + " (split off)", {}};
  Dataset rest{data.name, {}};
  const CounterRng rng = CounterRng(seed).at(0x5917);
  // A model that has seen a text in training has an advantage on other questions about it.
  std::unordered_map<std::string, std::size_t> first_with_text;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const Query& query = data.examples[i].query;
    const std::size_t group =
        query.question.empty() ? i : first_with_text.emplace(query.text, i).first->second;
    const bool in_dev = rng.uniform(group) < static_cast<float>(fraction);
    (in_dev ? dev : rest).examples.push_back(std::move(data.examples[i]));
  }
  data = std::move(rest);
  return dev;
}

}  // namespace skim::train
