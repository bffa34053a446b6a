#include "train/corpus.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "spec/letters.h"
#include "tasks/labels.h"
#include "tasks/spans.h"
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
    for (const std::string* text : {&example.query.text, &example.query.question}) {
      tokenize(*text, tokenizer, words);
      for (const Word& word : words)
        ++counts[normal_form(std::string_view(*text).substr(word.begin, word.end - word.begin))];
    }
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

namespace {

class Encoder {
 public:
  Encoder(const Vocab& vocab, const ModelSpec& spec, std::size_t most_words)
      : vocab_(vocab), spec_(spec), most_(most_words) {}

  // All but the label.
  Item encode_text(const Query& query) {
    Item item;
    item.words = ids_of(query.text);
    if (item.words.size() > most_) item.words.resize(most_);
    if (item.words.empty()) item.words.push_back(kUnknown);
    return item;
  }

  // Likewise. The gap is in the question, which is read last: of a long text the end is kept.
  Item encode_gap(const Example& example) {
    Item item;
    item.words = ids_of(example.query.text);
    const std::vector<std::int32_t> question = ids_of(example.query.question);
    item.words.insert(item.words.end(), question.begin(), question.end());
    if (item.words.size() > most_)
      item.words.erase(item.words.begin(), item.words.end() - static_cast<std::ptrdiff_t>(most_));
    item.asked = static_cast<std::int64_t>(std::min(question.size(), item.words.size()));
    if (item.words.empty()) item.words.push_back(kUnknown);
    for (const std::string& choice : example.query.choices) item.choices.push_back(ids_of(choice));
    return item;
  }

  // Without answers when none lies in the words that are kept.
  Item encode_question(const Example& example) {
    Item item = encode_text(example.query);
    const std::vector<Word> words = extents_;
    item.question = ids_of(example.query.question);
    if (item.question.empty()) item.question.push_back(kUnknown);
    for (const GoldAnswer& answer : example.answers) {
      const auto span = words_over(words, answer);
      if (!span || span->last >= item.words.size()) continue;
      item.answers.push_back(
          {static_cast<std::int64_t>(span->first), static_cast<std::int64_t>(span->last)});
    }
    if (!item.answers.empty()) item.label = item.answers[0].first;
    if (spec_.net == NetKind::bidaf) spell(example.query, words, item);
    return item;
  }

 private:
  // Which spelling each word has; new ones join the list.
  void spell(const Query& query, const std::vector<Word>& words, Item& item) {
    item.spellings = spellings_;
    const auto spell_all = [&](const std::string& text, const std::vector<Word>& of_text,
                               const std::vector<std::int32_t>& ids,
                               std::vector<std::int32_t>& into) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string_view word =
            i < of_text.size()
                ? std::string_view(text).substr(of_text[i].begin, of_text[i].end - of_text[i].begin)
                : std::string_view();
        into.push_back(spelling_of(letters_of(normal_form(word)), ids[i]));
      }
    };
    spell_all(query.text, words, item.words, item.text_spelled);
    spell_all(query.question, extents_, item.question, item.question_spelled);
  }

  std::int32_t spelling_of(std::string letters, std::int32_t id) {
    const auto [place, fresh] =
        spelled_.emplace(std::pair(letters, id), static_cast<std::int32_t>(spelled_.size()));
    if (fresh) {
      spellings_->letters.push_back(std::move(letters));
      spellings_->ids.push_back(id);
    }
    return place->second;
  }

  std::vector<std::int32_t> ids_of(const std::string& text) {
    skim::encode(text, spec_.tokenizer, vocab_, extents_, ids_);
    return {ids_.begin(), ids_.end()};
  }

  const Vocab& vocab_;
  const ModelSpec& spec_;
  std::size_t most_;
  std::vector<Word> extents_;
  std::vector<WordId> ids_;
  std::shared_ptr<Spellings> spellings_ = std::make_shared<Spellings>();
  std::map<std::pair<std::string, std::int32_t>, std::int32_t> spelled_;
};

}  // namespace

Result<void> check_kind(const Dataset& data, NetKind net) {
  for (const Example& example : data.examples) {
    const std::string where = data.name + ", line " + std::to_string(example.line) + ": ";
    const bool choices = !example.query.choices.empty(), answers = !example.answers.empty();
    if (net == NetKind::classifier && (choices || answers))
      return fail(Fault::argument, where + "asks a question; train on it with --task " +
                                       (choices ? "cloze" : "span"));
    if (net != NetKind::classifier && net != NetKind::cloze && !answers)
      return fail(Fault::argument,
                  where + "has no answer in the text, which --task span and bidaf learn from");
  }
  return {};
}

Result<Items> encode_items(const Dataset& data, const Vocabulary& vocabulary, const ModelSpec& spec,
                           std::size_t most_words) {
  if (const auto fine = check_kind(data, spec.net); !fine) return tl::unexpected(fine.error());
  const std::vector<std::string_view> words(vocabulary.words.begin(), vocabulary.words.end());
  const Result<Vocab> vocab = Vocab::create(words);
  if (!vocab) return tl::unexpected(vocab.error());
  std::vector<int> truth;
  if (!spec.finds_pieces()) {
    Result<std::vector<int>> found =
        spec.net == NetKind::classifier ? label_indices(data, spec.labels) : choice_indices(data);
    if (!found) return tl::unexpected(found.error());
    truth = std::move(*found);
  }
  Encoder encoder(*vocab, spec, most_words);
  Items made;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const Example& example = data.examples[i];
    Item item = spec.finds_pieces()          ? encoder.encode_question(example)
                : spec.net == NetKind::cloze ? encoder.encode_gap(example)
                                             : encoder.encode_text(example.query);
    if (spec.finds_pieces() && item.answers.empty()) {
      ++made.without_answer;
      continue;
    }
    if (!spec.finds_pieces()) item.label = truth[i];
    item.example = i;
    made.items.push_back(std::move(item));
  }
  return made;
}

Dataset split_off(Dataset& data, double share, std::uint64_t seed) {
  Dataset part{data.name + " (split off)", {}};
  Dataset rest{data.name, {}};
  const Noise noise = Noise(seed).at(0x5917);
  // Questions about one text stay together: whoever knows the text has an advantage.
  std::unordered_map<std::string, std::size_t> first_about;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const Query& query = data.examples[i].query;
    const std::size_t place =
        query.question.empty() ? i : first_about.emplace(query.text, i).first->second;
    const bool out = noise.share(place) < static_cast<float>(share);
    (out ? part : rest).examples.push_back(std::move(data.examples[i]));
  }
  data = std::move(rest);
  return part;
}

}  // namespace skim::train
