#include "tests/generated/planted_questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include "base/utf8.h"
#include "tasks/cbt.h"
#include "tasks/squad.h"
#include "tests/generated/planted_question_words.h"
#include "text/tokenizer.h"

namespace skim {
namespace {

std::size_t count_occurrences(std::string_view text, std::string_view wanted) {
  std::size_t times = 0;
  for (auto at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + 1)) {
    ++times;
  }
  return times;
}

// Cloze questions have a space around every word.
std::set<std::string> spaced_words(const std::string& sentence) {
  std::istringstream stream(sentence);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string whole_text(const PlantedCloze& cloze) {
  std::string text;
  for (const std::string& sentence : cloze.sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

// The word in place of @ when one of the patterns matches the sentence.
std::string name_marked_by(const planted::Cue& cue, const std::string& sentence) {
  for (const std::string_view pattern : cue.statements) {
    const std::string_view before = pattern.substr(1, pattern.find('@') - 1);  // not the capital
    if (sentence.compare(1, before.size(), before) != 0) continue;
    const std::size_t begin = 1 + before.size();
    return sentence.substr(begin, sentence.find(' ', begin) - begin);
  }
  return {};
}

// The cue of a cloze question, found from its question.
const planted::Cue& find_cue(const PlantedCloze& cloze) {
  const auto cues = planted::cues();
  return *std::find_if(cues.begin(), cues.end(), [&](const planted::Cue& cue) {
    return std::count(cue.questions.begin(), cue.questions.end(), cloze.question) > 0;
  });
}

TEST(PlantedPassage, HasEveryAnswerExactlyAtItsOffset) {
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const PlantedPassage made = planted_passage({}, i);
    ASSERT_EQ(made.questions.size(), kPlantedQuestionsPerPassage);
    for (const PlantedQuestion& asked : made.questions) {
      ASSERT_EQ(made.text.substr(asked.begin, asked.answer.size()), asked.answer);
      ASSERT_EQ(count_occurrences(made.text, asked.answer), 1U)
          << asked.answer << ": " << made.text;
    }
  }
}

TEST(PlantedPassage, AsksDifferentQuestionsWithDifferentAnswers) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    std::set<std::string> questions, answers;
    for (const PlantedQuestion& asked : planted_passage({}, i).questions) {
      questions.insert(asked.question);
      answers.insert(asked.answer);
    }
    EXPECT_EQ(questions.size(), kPlantedQuestionsPerPassage);
    EXPECT_EQ(answers.size(), kPlantedQuestionsPerPassage);
  }
}

TEST(PlantedPassage, AnswersAreOneToThreeWholeWords) {
  std::set<std::size_t> lengths;
  std::vector<TokenSpan> words;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const PlantedPassage made = planted_passage({}, i);
    tokenize(made.text, TokenizerKind::english, words);
    for (const PlantedQuestion& asked : made.questions) {
      const std::size_t end = asked.begin + asked.answer.size();
      const auto first = std::find_if(words.begin(), words.end(), [&](const TokenSpan& word) {
        return word.begin == asked.begin;
      });
      const auto last = std::find_if(words.begin(), words.end(),
                                     [&](const TokenSpan& word) { return word.end == end; });
      ASSERT_TRUE(first != words.end() && last != words.end()) << asked.answer;
      lengths.insert(static_cast<std::size_t>(last - first) + 1);
    }
  }
  EXPECT_THAT(lengths, testing::ElementsAre(1, 2, 3));
}

TEST(PlantedPassage, StatesTheAnswerInASentenceWithTheNamesOfTheQuestion) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const PlantedPassage made = planted_passage({}, i);
    for (const PlantedQuestion& asked : made.questions) {
      const std::size_t stop = made.text.rfind(". ", asked.begin);
      const std::size_t begin = stop == std::string::npos ? 0 : stop + 2;
      const std::string told = made.text.substr(begin, made.text.find('.', begin) - begin);
      const auto places = planted::places();
      const bool same_place = std::any_of(places.begin(), places.end(), [&](auto place) {
        return asked.question.find(place) != std::string::npos &&
               told.find(place) != std::string::npos;
      });
      EXPECT_TRUE(same_place) << asked.question << " " << told;
    }
  }
}

TEST(PlantedPassage, HasTheRequestedLengthPlusAtMostOneSentence) {
  std::vector<TokenSpan> words;
  for (const std::size_t length : {100U, 121U, 1000U}) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      tokenize(planted_passage({.words = length}, i).text, TokenizerKind::english, words);
      EXPECT_GE(words.size(), length);
      EXPECT_LT(words.size(), length + 12);
    }
  }
}

TEST(PlantedPassage, HasItsFactsForAnyLength) {
  const PlantedPassage made = planted_passage({.words = 0}, 0);
  EXPECT_EQ(made.questions.size(), kPlantedQuestionsPerPassage);
}

TEST(PlantedPassage, DependsOnSeedAndIndexOnly) {
  EXPECT_EQ(planted_passage({.seed = 5}, 3).text, planted_passage({.seed = 5}, 3).text);
  EXPECT_NE(planted_passage({.seed = 5}, 3).text, planted_passage({.seed = 6}, 3).text);
  EXPECT_NE(planted_passage({.seed = 5}, 3).text, planted_passage({.seed = 5}, 4).text);
}

TEST(PlantedPassage, IsStableAcrossVersions) {
  // Models, documents and reports quote these texts.
  const PlantedPassage made = planted_passage({.seed = 1, .words = 40}, 0);
  EXPECT_EQ(
      made.text,
      "The score changed under the setting. Those who are invited for breakfast in Wexcombe will "
      "get venison. The flag of Gravesholm shows the stallion. In Edelin they built the fountain "
      "out of limestone. The poet of Sundby is called Professor Hilda.");
  EXPECT_EQ(made.questions[0].question, "What is the name of the poet of Sundby?");
}

TEST(SquadJson, RoundTrips) {
  const PlantedQuestionOptions options{.seed = 4};
  Dataset data;
  ASSERT_TRUE(parse_squad(squad_json(options, 0, 600), data));
  ASSERT_EQ(data.examples.size(), 600U);
  EXPECT_EQ(data.unaligned + data.impossible, 0U);
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const PlantedPassage made = planted_passage(options, i / kPlantedQuestionsPerPassage);
    const PlantedQuestion& asked = made.questions[i % kPlantedQuestionsPerPassage];
    const Example& example = data.examples[i];
    EXPECT_EQ(example.query.text, made.text);
    EXPECT_EQ(example.query.question, asked.question);
    EXPECT_EQ(example.label, asked.answer);
    EXPECT_EQ(example.answers.at(0).begin, asked.begin);
  }
}

TEST(SquadJson, CountsCodePointsAndNotBytes) {
  // An answer occurs only once, so that the parser would find it even from a wrong offset: what the
  // file says must be looked at.
  std::uint64_t index = 0;
  PlantedPassage made = planted_passage({}, index);
  const auto beyond_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  const auto is_behind_letters_of_two_bytes = [&] {
    const auto end = made.text.begin() + static_cast<std::ptrdiff_t>(made.questions[0].begin);
    return std::any_of(made.text.begin(), end, beyond_ascii);
  };
  while (!is_behind_letters_of_two_bytes()) made = planted_passage({}, ++index);
  const auto end = made.text.begin() + static_cast<std::ptrdiff_t>(made.questions[0].begin);
  const auto letters_of_two_bytes = std::count_if(made.text.begin(), end, beyond_ascii) / 2;
  const std::size_t start =
      made.questions[0].begin - static_cast<std::size_t>(letters_of_two_bytes);
  const std::string file = squad_json({}, index * kPlantedQuestionsPerPassage, 1);
  EXPECT_THAT(file, testing::HasSubstr("\"answer_start\":" + std::to_string(start) + "}"));
}

TEST(SquadJson, HasTheRequestedQuestionsFromAnyStart) {
  Dataset all;
  ASSERT_TRUE(parse_squad(squad_json({}, 0, 20), all));
  for (std::uint64_t first = 0; first < 7; ++first) {
    for (std::size_t count = 1; count < 8; ++count) {
      Dataset part;
      ASSERT_TRUE(parse_squad(squad_json({}, first, count), part));
      ASSERT_EQ(part.examples.size(), count);
      EXPECT_EQ(part.examples.front().id, all.examples[first].id);
      EXPECT_EQ(part.examples.back().query.question,
                all.examples[first + count - 1].query.question);
    }
  }
}

TEST(SquadJson, IsDetected) { EXPECT_TRUE(looks_like_squad(squad_json({}, 0, 1))); }

TEST(PlantedCloze, HasTheAnswerAmongTenNamesOfTheText) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const PlantedCloze made = planted_cloze({}, i);
    EXPECT_EQ(made.sentences.size(), kPlantedClozeSentences);
    EXPECT_EQ(std::set(made.choices.begin(), made.choices.end()).size(), kPlantedClozeChoices);
    EXPECT_THAT(made.choices, testing::Contains(made.answer));
    EXPECT_THAT(spaced_words(whole_text(made)), testing::IsSupersetOf(made.choices));
    EXPECT_EQ(count_occurrences(made.question, "XXXXX"), 1U);
  }
}

TEST(PlantedCloze, HasItsCueOnlyBeforeTheAnswerNearTheEnd) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const PlantedCloze made = planted_cloze({}, i);
    std::vector<std::size_t> marked;
    for (std::size_t at = 0; at < made.sentences.size(); ++at) {
      const std::string name = name_marked_by(find_cue(made), made.sentences[at]);
      if (name.empty()) continue;
      marked.push_back(at);
      EXPECT_EQ(name, made.answer);
    }
    EXPECT_THAT(marked, testing::ElementsAre(testing::Ge(17U)));
  }
}

TEST(PlantedCloze, AnswerPositionAmongTheChoicesIsUniform) {
  std::vector<int> times(kPlantedClozeChoices);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const PlantedCloze made = planted_cloze({}, i);
    const auto place = std::find(made.choices.begin(), made.choices.end(), made.answer);
    ++times[static_cast<std::size_t>(place - made.choices.begin())];
  }
  EXPECT_THAT(times, testing::Each(testing::AllOf(testing::Gt(146), testing::Lt(254))));  // 4 sigma
}

TEST(PlantedCloze, DependsOnSeedAndIndexOnly) {
  EXPECT_EQ(planted_cloze({.seed = 5}, 3).sentences, planted_cloze({.seed = 5}, 3).sentences);
  EXPECT_NE(planted_cloze({.seed = 5}, 3).sentences, planted_cloze({.seed = 6}, 3).sentences);
  EXPECT_NE(planted_cloze({.seed = 5}, 3).sentences, planted_cloze({.seed = 5}, 4).sentences);
}

TEST(PlantedCloze, IsStableAcrossVersions) {
  const PlantedCloze made = planted_cloze({.seed = 1}, 0);
  EXPECT_EQ(made.sentences[0], "The usual street followed and Ingrid arrived .");
  EXPECT_EQ(made.question, "With the crown on , XXXXX looked like a king .");
  EXPECT_EQ(made.answer, "Petra");
}

TEST(CbtText, RoundTrips) {
  const PlantedQuestionOptions options{.seed = 4};
  std::vector<Example> examples;
  ASSERT_TRUE(parse_cbt(cbt_text(options, 7, 200), examples));
  ASSERT_EQ(examples.size(), 200U);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const PlantedCloze made = planted_cloze(options, 7 + i);
    EXPECT_EQ(examples[i].query.text, whole_text(made));
    EXPECT_EQ(examples[i].query.question, made.question);
    EXPECT_EQ(examples[i].query.choices, made.choices);
    EXPECT_EQ(examples[i].label, made.answer);
  }
}

TEST(CbtText, IsDetected) {
  const std::string text = cbt_text({}, 0, 2);
  EXPECT_TRUE(looks_like_cbt(text));
  EXPECT_TRUE(is_utf8(text));
}

}  // namespace
}  // namespace skim
