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

constexpr std::size_t kMinFacts = kPlantedQuestionsPerPassage;
constexpr std::size_t kMaxFacts = 5;
constexpr double kFrontShare = 0.25;  // of values with a modifier before / after the head
constexpr double kBackShare = 0.4;
constexpr std::size_t kCueRange = 3;     // the cue is in one of the last sentences
constexpr std::size_t kDecoyRange = 10;  // the decoy cue is in one of the first sentences
constexpr double kNamedShare = 0.5;      // of the filler sentences that mention a name

template <class T>
const T& choose(std::span<const T> list, Random& random) {
  return list[random.below(list.size())];
}

template <class T>
void shuffle(std::vector<T>& list, Random& random) {
  for (std::size_t left = list.size(); left > 1; --left) {
    std::swap(list[left - 1], list[random.below(left)]);
  }
}

std::string capitalize(std::string sentence) {
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

// Fills the slots of a clause, with `name` for @. Adds no full stop.
std::string fill_clause(std::string_view clause, std::string_view name, Random& random) {
  std::string text;
  planted::for_each_token(clause, [&](std::string_view token) {
    const auto words = planted::slot_words(token);
    if (!words.empty()) token = choose(words, random);
    append_with_article(text, token == "@" ? name : token);
  });
  return capitalize(std::move(text));
}

std::string filler_sentence(Random& random) {
  return fill_clause(choose(planted::filler_clauses(), random), {}, random);
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

// Substitutes the words of the fact for #, @ and * in the pattern. Adds no full stop.
FactSentence fill_pattern(std::string_view pattern, const Fact& fact) {
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
  sentence.text = capitalize(std::move(sentence.text));
  return sentence;
}

class PassageWriter {
 public:
  PassageWriter(const PlantedQuestionOptions& options, std::uint64_t index)
      : options_(options), random_(options.seed, index) {}

  PlantedPassage write() {
    const std::size_t count = kMinFacts + random_.below(kMaxFacts - kMinFacts + 1);
    while (facts_.size() < count) facts_.push_back(new_fact());
    for (const Fact& fact : facts_) {
      add(fill_pattern(choose(fact.relation->statements, random_), fact));
    }
    while (words_ < options_.words) add({filler_sentence(random_)});
    PlantedPassage passage;
    const std::vector<std::size_t> begins = assemble(passage.text);
    for (std::size_t i = 0; i < kPlantedQuestionsPerPassage; ++i) {
      passage.questions.push_back(question_about(facts_[i], begins[i]));
    }
    return passage;
  }

 private:
  // Topics, places and heads of values are unique within a passage, so that each question has one
  // answer that occurs once. There are far more of them than facts per passage.
  Fact new_fact() {
    Fact fact;
    do {
      fact.relation = &choose(planted::relations(), random_);
      fact.topic = choose(fact.relation->topics, random_);
    } while (is_used(fact.topic));
    used_.push_back(fact.topic);
    fact.place = unused(planted::places());
    fact.value = new_value(fact.relation->values);
    return fact;
  }

  std::string new_value(const planted::ValueKind& kind) {
    std::string value;
    if (random_.bernoulli(kFrontShare)) value = std::string(choose(kind.fronts, random_)) + " ";
    value += unused(kind.heads);
    if (!kind.backs.empty() && random_.bernoulli(kBackShare)) {
      value += " ";
      value += choose(kind.backs, random_);
    }
    return value;
  }

  std::string_view unused(std::span<const std::string_view> words) {
    std::string_view word = choose(words, random_);
    while (is_used(word)) word = choose(words, random_);
    used_.push_back(word);
    return word;
  }

  bool is_used(std::string_view word) const {
    return std::find(used_.begin(), used_.end(), word) != used_.end();
  }

  void add(FactSentence sentence) {
    sentence.text += '.';
    tokenize(sentence.text, TokenizerKind::english, tokens_);
    words_ += tokens_.size();
    sentences_.push_back(std::move(sentence));
  }

  // Concatenates the sentences in random order; returns the offsets of the facts' values.
  std::vector<std::size_t> assemble(std::string& text) {
    std::vector<std::size_t> order(sentences_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, random_);
    std::vector<std::size_t> begins(facts_.size());
    for (const std::size_t at : order) {
      if (!text.empty()) text += ' ';
      if (at < facts_.size()) begins[at] = text.size() + sentences_[at].value_begin;
      text += sentences_[at].text;
    }
    return begins;
  }

  PlantedQuestion question_about(const Fact& fact, std::size_t begin) {
    const std::string_view pattern = choose(fact.relation->questions, random_);
    return {fill_pattern(pattern, fact).text + "?", fact.value, begin};
  }

  const PlantedQuestionOptions& options_;
  Random random_;
  std::vector<Fact> facts_;
  std::vector<std::string_view> used_;
  std::vector<FactSentence> sentences_;  // the facts first
  std::size_t words_ = 0;
  std::vector<TokenSpan> tokens_;
};

class ClozeWriter {
 public:
  ClozeWriter(const PlantedQuestionOptions& options, std::uint64_t index)
      : random_(options.seed, index) {
    const auto persons = planted::persons();
    names_.assign(persons.begin(), persons.end());
    shuffle(names_, random_);
    names_.resize(kPlantedClozeChoices);
  }

  PlantedCloze write() {
    const std::size_t cue = random_.below(planted::cues().size());
    PlantedCloze cloze;
    cloze.sentences = filler_and_person_sentences();
    // One random number per statement, because the evaluation order of arguments is unspecified.
    const std::size_t decoy_at = random_.below(kDecoyRange);
    insert(cloze, decoy_at, cue_sentence(other_cue(cue), names_[1]));
    const std::size_t cue_at = kPlantedClozeSentences - 1 - random_.below(kCueRange);
    insert(cloze, cue_at, cue_sentence(cue, names_[0]));
    cloze.question = choose(planted::cues()[cue].questions, random_);
    cloze.answer = names_[0];
    cloze.choices.assign(names_.begin(), names_.end());
    shuffle(cloze.choices, random_);
    return cloze;
  }

 private:
  // All sentences but the two with a cue. Mentions every name that those two do not.
  std::vector<std::string> filler_and_person_sentences() {
    std::vector<std::string> sentences;
    for (std::size_t i = 2; i < names_.size(); ++i) sentences.push_back(person_sentence(names_[i]));
    while (sentences.size() < kPlantedClozeSentences - 2) {
      const bool named = random_.bernoulli(kNamedShare);
      sentences.push_back(named ? person_sentence(names_[random_.below(names_.size())])
                                : filler_sentence(random_) + " .");
    }
    shuffle(sentences, random_);
    return sentences;
  }

  std::string person_sentence(std::string_view name) {
    return fill_clause(choose(planted::person_clauses(), random_), name, random_) + " .";
  }

  std::string cue_sentence(std::size_t cue, std::string_view name) {
    const std::string_view pattern = choose(planted::cues()[cue].statements, random_);
    return fill_clause(pattern, name, random_);
  }

  std::size_t other_cue(std::size_t cue) {
    const std::size_t count = planted::cues().size();
    return (cue + 1 + random_.below(count - 1)) % count;
  }

  static void insert(PlantedCloze& cloze, std::size_t at, std::string sentence) {
    const auto place = cloze.sentences.begin() + static_cast<std::ptrdiff_t>(at);
    cloze.sentences.insert(place, std::move(sentence));
  }

  Random random_;
  std::vector<std::string_view> names_;  // the answer, the decoy, the others
};

std::size_t code_points_before(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(byte);
  const auto starts = std::count_if(
      text.begin(), end, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<std::size_t>(starts);
}

Json question_json(const PlantedPassage& passage, std::size_t which, std::string id) {
  const PlantedQuestion& question = passage.questions[which];
  const Json answer{{"text", question.answer},
                    {"answer_start", code_points_before(passage.text, question.begin)}};
  return Json{
      {"id", std::move(id)}, {"question", question.question}, {"answers", Json::array({answer})}};
}

// The questions [first, end) of one passage.
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

void append_cloze(std::string& text, const PlantedCloze& cloze) {
  for (std::size_t i = 0; i < cloze.sentences.size(); ++i) {
    text += std::to_string(i + 1) + " " + cloze.sentences[i] + "\n";
  }
  text += std::to_string(cloze.sentences.size() + 1) + " " + cloze.question + "\t" + cloze.answer +
          "\t";
  char separator = '\t';
  for (const std::string& choice : cloze.choices) {
    text += std::exchange(separator, '|') + choice;
  }
  text += "\n\n";
}

}  // namespace

PlantedPassage planted_passage(const PlantedQuestionOptions& options, std::uint64_t index) {
  return PassageWriter(options, index).write();
}

PlantedCloze planted_cloze(const PlantedQuestionOptions& options, std::uint64_t index) {
  return ClozeWriter(options, index).write();
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
  for (std::size_t i = 0; i < count; ++i) append_cloze(text, planted_cloze(options, first + i));
  return text;
}

}  // namespace skim
