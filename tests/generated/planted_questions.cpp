#include "tests/generated/planted_questions.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "tests/generated/planted_question_words.h"
#include "tests/generated/planted_words.h"
#include "tests/generated/random.h"
#include "text/tokenizer.h"

namespace skim {
namespace {

constexpr std::size_t kFewestFacts = kPlantedQuestionsPerPassage;
constexpr std::size_t kMostFacts = 5;
constexpr double kFrontShare = 0.25;  // of values, where there are words to put before or behind
constexpr double kBackShare = 0.4;
constexpr std::size_t kCueSentences = 3;     // at the end of the text: one of them has the cue
constexpr std::size_t kDecoySentences = 10;  // at the start: one of them has another cue
constexpr double kNamedShare = 0.5;          // of the sentences of a gap that need not hold a name

template <class T>
const T& any_one(std::span<const T> list, Random& random) {
  return list[random.below(list.size())];
}

template <class T>
void put_in_random_order(std::vector<T>& list, Random& random) {
  for (std::size_t left = list.size(); left > 1; --left) {
    std::swap(list[left - 1], list[random.below(left)]);
  }
}

std::string with_capital(std::string sentence) {
  char& first = sentence.front();
  if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
  return sentence;
}

void append_with_article(std::string& text, std::string_view word) {
  const bool vowel = std::string_view("aeiou").find(word.front()) != std::string_view::npos;
  if (vowel && text.ends_with(" a")) text += 'n';
  if (!text.empty()) text += ' ';
  text += word;
}

// A clause with words in its slots and `name` for @; no full stop yet.
std::string sentence_of_clause(std::string_view clause, std::string_view name, Random& random) {
  std::string text;
  planted::for_pieces(clause, [&](std::string_view piece) {
    const auto words = planted::words_of_slot(piece);
    if (!words.empty()) piece = any_one(words, random);
    append_with_article(text, piece == "@" ? name : piece);
  });
  return with_capital(std::move(text));
}

std::string plain_sentence(Random& random) {
  return sentence_of_clause(any_one(planted::filler_clauses(), random), {}, random);
}

struct Fact {
  const planted::Relation* relation = nullptr;
  std::string_view topic;
  std::string_view place;
  std::string value;
};

struct FactSentence {
  std::string text;
  std::size_t value_begin = std::string::npos;
};

// The pattern with the words of the fact for #, @ and *; no full stop yet.
FactSentence told(std::string_view pattern, const Fact& fact) {
  FactSentence sentence;
  for (const char c : pattern) {
    if (c == '#') {
      sentence.text += fact.topic;
    } else if (c == '@') {
      sentence.text += fact.place;
    } else if (c == '*') {
      sentence.value_begin = sentence.text.size();
      sentence.text += fact.value;
    } else {
      sentence.text += c;
    }
  }
  sentence.text = with_capital(std::move(sentence.text));
  return sentence;
}

class PassageWriter {
 public:
  PassageWriter(const PlantedQuestionOptions& options, std::uint64_t index)
      : options_(options), random_(options.seed, index) {}

  PlantedPassage write() {
    const std::size_t count = kFewestFacts + random_.below(kMostFacts - kFewestFacts + 1);
    while (facts_.size() < count) facts_.push_back(new_fact());
    for (const Fact& fact : facts_) {
      add(told(any_one(fact.relation->statements, random_), fact));
    }
    while (words_ < options_.words) add({plain_sentence(random_)});
    PlantedPassage passage;
    const std::vector<std::size_t> begins = put_together(passage.text);
    for (std::size_t i = 0; i < kPlantedQuestionsPerPassage; ++i) {
      passage.questions.push_back(question_about(facts_[i], begins[i]));
    }
    return passage;
  }

 private:
  // Topics, places and heads of values differ throughout a passage, so that a question has one
  // answer, which stands in one place. There are far more of them than a passage has facts.
  Fact new_fact() {
    Fact fact;
    do {
      fact.relation = &any_one(planted::relations(), random_);
      fact.topic = any_one(fact.relation->topics, random_);
    } while (is_used(fact.topic));
    used_.push_back(fact.topic);
    fact.place = unused(planted::places());
    fact.value = new_value(fact.relation->values);
    return fact;
  }

  std::string new_value(const planted::ValueKind& kind) {
    std::string value;
    if (random_.chance(kFrontShare)) value = std::string(any_one(kind.fronts, random_)) + " ";
    value += unused(kind.heads);
    if (!kind.backs.empty() && random_.chance(kBackShare)) {
      value += " ";
      value += any_one(kind.backs, random_);
    }
    return value;
  }

  std::string_view unused(std::span<const std::string_view> words) {
    std::string_view word = any_one(words, random_);
    while (is_used(word)) word = any_one(words, random_);
    used_.push_back(word);
    return word;
  }

  bool is_used(std::string_view word) const {
    return std::find(used_.begin(), used_.end(), word) != used_.end();
  }

  void add(FactSentence sentence) {
    sentence.text += '.';
    tokenize(sentence.text, Tokenizer::english, extents_);
    words_ += extents_.size();
    sentences_.push_back(std::move(sentence));
  }

  // Writes the sentences in random order; returns where the values of the facts start.
  std::vector<std::size_t> put_together(std::string& text) {
    std::vector<std::size_t> order(sentences_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    put_in_random_order(order, random_);
    std::vector<std::size_t> begins(facts_.size());
    for (const std::size_t at : order) {
      if (!text.empty()) text += ' ';
      if (at < facts_.size()) begins[at] = text.size() + sentences_[at].value_begin;
      text += sentences_[at].text;
    }
    return begins;
  }

  PlantedQuestion question_about(const Fact& fact, std::size_t begin) {
    const std::string_view pattern = any_one(fact.relation->questions, random_);
    return {told(pattern, fact).text + "?", fact.value, begin};
  }

  const PlantedQuestionOptions& options_;
  Random random_;
  std::vector<Fact> facts_;
  std::vector<std::string_view> used_;
  std::vector<FactSentence> sentences_;  // those of the facts first
  std::size_t words_ = 0;
  std::vector<Word> extents_;
};

class GapWriter {
 public:
  GapWriter(const PlantedQuestionOptions& options, std::uint64_t index)
      : random_(options.seed, index) {
    const auto persons = planted::persons();
    names_.assign(persons.begin(), persons.end());
    put_in_random_order(names_, random_);
    names_.resize(kPlantedGapChoices);
  }

  PlantedGap write() {
    const std::size_t cue = random_.below(planted::cues().size());
    PlantedGap gap;
    gap.sentences = other_sentences();
    // One draw a statement: the order in which arguments are computed is the compiler's.
    const std::size_t decoy_at = random_.below(kDecoySentences);
    insert(gap, decoy_at, marked(other_cue(cue), names_[1]));
    const std::size_t cue_at = kPlantedGapSentences - 1 - random_.below(kCueSentences);
    insert(gap, cue_at, marked(cue, names_[0]));
    gap.question = any_one(planted::cues()[cue].questions, random_);
    gap.answer = names_[0];
    gap.choices.assign(names_.begin(), names_.end());
    put_in_random_order(gap.choices, random_);
    return gap;
  }

 private:
  // All but the two that have a cue. Every name that these two do not hold stands in one.
  std::vector<std::string> other_sentences() {
    std::vector<std::string> sentences;
    for (std::size_t i = 2; i < names_.size(); ++i) sentences.push_back(about(names_[i]));
    while (sentences.size() < kPlantedGapSentences - 2) {
      const bool named = random_.chance(kNamedShare);
      sentences.push_back(named ? about(names_[random_.below(names_.size())])
                                : plain_sentence(random_) + " .");
    }
    put_in_random_order(sentences, random_);
    return sentences;
  }

  std::string about(std::string_view name) {
    return sentence_of_clause(any_one(planted::person_clauses(), random_), name, random_) + " .";
  }

  std::string marked(std::size_t cue, std::string_view name) {
    const std::string_view pattern = any_one(planted::cues()[cue].statements, random_);
    return sentence_of_clause(pattern, name, random_);
  }

  std::size_t other_cue(std::size_t cue) {
    const std::size_t count = planted::cues().size();
    return (cue + 1 + random_.below(count - 1)) % count;
  }

  static void insert(PlantedGap& gap, std::size_t at, std::string sentence) {
    const auto place = gap.sentences.begin() + static_cast<std::ptrdiff_t>(at);
    gap.sentences.insert(place, std::move(sentence));
  }

  Random random_;
  std::vector<std::string_view> names_;  // the answer, the one that another cue marks, the others
};

std::size_t code_points_before(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(byte);
  const auto starts = std::count_if(
      text.begin(), end, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<std::size_t>(starts);
}

Json question_json(const PlantedPassage& passage, std::size_t which, std::string id) {
  const PlantedQuestion& asked = passage.questions[which];
  const Json answer{{"text", asked.answer},
                    {"answer_start", code_points_before(passage.text, asked.begin)}};
  return Json{
      {"id", std::move(id)}, {"question", asked.question}, {"answers", Json::array({answer})}};
}

// The questions of one passage from number `first` up to `end`.
Json paragraph_json(const PlantedQuestionOptions& options, std::uint64_t first, std::uint64_t end) {
  const PlantedPassage passage = planted_passage(options, first / kPlantedQuestionsPerPassage);
  Json questions = Json::array();
  for (std::uint64_t number = first; number < end; ++number) {
    std::string id = std::to_string(options.seed) + "-" + std::to_string(number);
    questions.push_back(
        question_json(passage, number % kPlantedQuestionsPerPassage, std::move(id)));
  }
  return Json{{"context", passage.text}, {"qas", std::move(questions)}};
}

void append_gap(std::string& text, const PlantedGap& gap) {
  for (std::size_t i = 0; i < gap.sentences.size(); ++i) {
    text += std::to_string(i + 1) + " " + gap.sentences[i] + "\n";
  }
  text += std::to_string(gap.sentences.size() + 1) + " " + gap.question + "\t" + gap.answer + "\t";
  char separator = '\t';
  for (const std::string& choice : gap.choices) {
    text += std::exchange(separator, '|') + choice;
  }
  text += "\n\n";
}

}  // namespace

PlantedPassage planted_passage(const PlantedQuestionOptions& options, std::uint64_t index) {
  return PassageWriter(options, index).write();
}

PlantedGap planted_gap(const PlantedQuestionOptions& options, std::uint64_t index) {
  return GapWriter(options, index).write();
}

std::string squad_json(const PlantedQuestionOptions& options, std::uint64_t first,
                       std::size_t count) {
  const std::uint64_t end = first + count;
  Json paragraphs = Json::array();
  while (first < end) {
    const std::uint64_t passage = first / kPlantedQuestionsPerPassage;
    const std::uint64_t next = std::min(end, (passage + 1) * kPlantedQuestionsPerPassage);
    paragraphs.push_back(paragraph_json(options, first, next));
    first = next;
  }
  const std::string title = "planted questions, seed " + std::to_string(options.seed);
  Json article{{"title", title}, {"paragraphs", std::move(paragraphs)}};
  return to_text(Json{{"version", "1.1"}, {"data", Json::array({std::move(article)})}}) + "\n";
}

std::string cbt_text(const PlantedQuestionOptions& options, std::uint64_t first,
                     std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) append_gap(text, planted_gap(options, first + i));
  return text;
}

}  // namespace skim
