#include "tests/generated/planted.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <unordered_set>

#include "tests/generated/planted_words.h"
#include "tests/generated/random.h"

namespace skim {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kArticle = "a";
constexpr std::string_view kArticleBeforeVowels = "an";
constexpr double kDecisiveClauseShare = 0.85;  // of clauses
constexpr double kNegatedShare = 0.25;         // of positions where a negator is allowed
constexpr double kAgreementShare = 0.72;  // of planted words that agree with the text's leaning
constexpr double kStrongShare = 0.4;      // of planted words

Words polarity_words(bool positive, bool strong) {
  if (positive) return strong ? planted::strong_positive() : planted::mild_positive();
  return strong ? planted::strong_negative() : planted::mild_negative();
}

std::string_view pick(Words words, Random& random) { return words[random.below(words.size())]; }

class Writer {
 public:
  Writer(const PlantedOptions& options, std::uint64_t index)
      : options_(options), random_(options.seed, index), leaning_(random_.bernoulli(0.5)) {}

  PlantedText write() {
    while (words_.size() < options_.words) add_clause();
    words_.resize(options_.words);
    if (words_.empty()) return {};
    if (sum() == 0) resolve_tie();
    if (options_.narrow_margin) limit_margin();
    fix_articles();
    return {join_words(), sum() > 0 ? 1 : 0, decisive()};
  }

 private:
  void add_clause() {
    if (!words_.empty()) {
      planted::for_each_token(pick(planted::connectives(), random_),
                              [&](auto token) { words_.push_back({token}); });
    }
    const bool decisive_clause = random_.bernoulli(kDecisiveClauseShare);
    const Words clauses = decisive_clause ? planted::decisive_clauses() : planted::filler_clauses();
    negated_ = false;
    planted::for_each_token(pick(clauses, random_), [&](auto token) { add_token(token); });
  }

  void add_token(std::string_view token) {
    if (token == "~") {
      negated_ = options_.negators && random_.bernoulli(kNegatedShare);
      if (negated_) words_.push_back({pick(planted::negators(), random_), PlantedRole::negator});
    } else if (token == "J") {
      const bool positive_vote = random_.bernoulli(kAgreementShare) == leaning_;
      words_.push_back(planted_word(positive_vote != negated_));
    } else {
      const Words choices = planted::slot_words(token);
      words_.push_back({choices.empty() ? token : pick(choices, random_)});
    }
  }

  PlantedWord planted_word(bool positive) {
    const bool strong = random_.bernoulli(kStrongShare);
    return {pick(polarity_words(positive, strong), random_),
            positive ? PlantedRole::positive : PlantedRole::negative, strong ? 2 : 1};
  }

  int sum() const {
    int total = 0;
    bool negated = false;
    for (const PlantedWord& word : words_) {
      if (word.role == PlantedRole::negator) negated = true;
      if (word.strength == 0) continue;
      total += (word.role == PlantedRole::positive) == negated ? -word.strength : word.strength;
      negated = false;
    }
    return total;
  }

  // Flips a planted word, or adds one, when the sum is zero.
  void resolve_tie() {
    const auto planted = std::find_if(words_.begin(), words_.end(),
                                      [](const PlantedWord& word) { return word.strength > 0; });
    if (planted == words_.end()) {
      words_[random_.below(words_.size())] = planted_word(leaning_);
      return;
    }
    flip_polarity(*planted);
  }

  // Changes planted words at random until the absolute sum is 1 or 2. Also changes strengths,
  // because two strong words sum to 4 or 0 only.
  void limit_margin() {
    std::vector<PlantedWord*> planted;
    for (PlantedWord& word : words_)
      if (word.strength > 0) planted.push_back(&word);
    while (sum() == 0 || std::abs(sum()) > 2) {
      PlantedWord& word = *planted[random_.below(planted.size())];
      if (random_.bernoulli(0.5)) {
        flip_polarity(word);
      } else {
        word.strength = 3 - word.strength;
        const bool positive = word.role == PlantedRole::positive;
        word.text = pick(polarity_words(positive, word.strength == 2), random_);
      }
    }
  }

  static void flip_polarity(PlantedWord& word) {
    const bool positive = word.role == PlantedRole::positive;
    const Words from = polarity_words(positive, word.strength == 2);
    const auto at = std::find(from.begin(), from.end(), word.text) - from.begin();
    word.text = polarity_words(!positive, word.strength == 2)[static_cast<std::size_t>(at)];
    word.role = positive ? PlantedRole::negative : PlantedRole::positive;
  }

  void fix_articles() {
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      const bool vowel = std::string_view("aeiou").find(words_[i + 1].text[0]) != std::string::npos;
      if (vowel && words_[i].text == kArticle) words_[i].text = kArticleBeforeVowels;
    }
  }

  std::string join_words() const {
    std::string text;
    bool starts = true;
    for (const PlantedWord& word : words_) {
      const bool joined = word.text == "." || word.text == "," || word.text == "n't";
      if (!text.empty() && !joined) text += ' ';
      text += word.text;
      if (starts || word.text == "i") {
        char& first = text[text.size() - word.text.size()];
        if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
      }
      starts = word.text == ".";
    }
    return text;
  }

  std::vector<std::size_t> decisive() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i].role != PlantedRole::filler) places.push_back(i);
    }
    return places;
  }

  const PlantedOptions& options_;
  Random random_;
  bool leaning_;  // the label that most planted words agree with
  bool negated_ = false;
  std::vector<PlantedWord> words_;
};

}  // namespace

std::vector<PlantedWord> planted_words() {
  std::vector<PlantedWord> list;
  std::unordered_set<std::string_view> seen;
  const auto add = [&](std::string_view text, PlantedRole role, int strength) {
    if (seen.insert(text).second) list.push_back({text, role, strength});
  };
  add(kArticleBeforeVowels, PlantedRole::filler, 0);
  for (const std::string_view connective : planted::connectives()) {
    planted::for_each_token(connective, [&](auto token) { add(token, PlantedRole::filler, 0); });
  }
  for (const Words clauses : {planted::decisive_clauses(), planted::filler_clauses()}) {
    for (const std::string_view clause : clauses) {
      planted::for_each_token(clause, [&](auto token) {
        const bool is_literal = token != "~" && token != "J" && planted::slot_words(token).empty();
        if (is_literal) add(token, PlantedRole::filler, 0);
      });
    }
  }
  for (const planted::Slot& slot : planted::slots()) {
    for (const std::string_view word : slot.words) add(word, PlantedRole::filler, 0);
  }
  for (const std::string_view word : planted::negators()) add(word, PlantedRole::negator, 0);
  for (const bool positive : {true, false}) {
    for (const bool strong : {false, true}) {
      const PlantedRole role = positive ? PlantedRole::positive : PlantedRole::negative;
      for (const auto word : polarity_words(positive, strong)) add(word, role, strong ? 2 : 1);
    }
  }
  return list;
}

PlantedText planted_text(const PlantedOptions& options, std::uint64_t index) {
  return Writer(options, index).write();
}

Dataset planted_data(const PlantedOptions& options, std::size_t count) {
  Dataset data;
  data.name = "planted words, seed " + std::to_string(options.seed);
  for (std::size_t i = 0; i < count; ++i) {
    PlantedText text = planted_text(options, i);
    Example example;
    example.query.text = std::move(text.text);
    example.label = kPlantedLabels[static_cast<std::size_t>(text.label)];
    example.line = i + 1;
    data.examples.push_back(std::move(example));
  }
  return data;
}

}  // namespace skim
