// Two generated question-answering tasks with a known truth, made of invented names. Like the
// planted words they are easy to learn and need no download.
//
// Questions: a passage of filler in which a few facts stand ("The guard of Velmora is called
// Tobin."), and questions about some of them ("Who is the guard of Velmora?"), each answered by a
// piece of the passage. No two facts of a passage have the same topic (guard) or place.
//
// Gaps: twenty sentences about ten persons, and one with a name left out. A cue, which question and
// text share ("cheered for"), stands before the name in one of the last three sentences; early in
// the text another cue marks somebody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skim {

struct PlantedQuestionOptions {
  std::uint64_t seed = 1;
  // Of a passage at least, counted as the tokenizer does: filler sentences are added until there
  // are so many, and the facts stand there whatever is asked for. Gaps take no notice of it.
  std::size_t words = 120;
};

struct PlantedQuestion {
  std::string question;
  std::string answer;     // stands only once in the passage
  std::size_t begin = 0;  // byte of the passage where the answer starts
};

// Of every passage, so that the number of a question tells its passage.
inline constexpr std::size_t kPlantedQuestionsPerPassage = 3;

struct PlantedPassage {
  std::string text;
  std::vector<PlantedQuestion> questions;  // kPlantedQuestionsPerPassage of them
};

inline constexpr std::size_t kPlantedGapSentences = 20;
inline constexpr std::size_t kPlantedGapChoices = 10;

struct PlantedGap {
  std::vector<std::string> sentences;  // kPlantedGapSentences of them
  std::string question;                // XXXXX is the word left out
  std::string answer;
  std::vector<std::string> choices;  // kPlantedGapChoices names, all of them in the sentences
};

// Passage or gap number `index` of a seed; the same on every machine, whatever was asked before.
PlantedPassage planted_passage(const PlantedQuestionOptions& options, std::uint64_t index);
PlantedGap planted_gap(const PlantedQuestionOptions& options, std::uint64_t index);

// The questions numbered `first` to `first` + `count` - 1 as a file of SQuAD (version 1.1).
// Question number q belongs to passage q / kPlantedQuestionsPerPassage: parts that shall not share
// a passage start at multiples of that.
std::string squad_json(const PlantedQuestionOptions& options, std::uint64_t first,
                       std::size_t count);
// The gaps numbered so as a file of the Children's Book Test.
std::string cbt_text(const PlantedQuestionOptions& options, std::uint64_t first, std::size_t count);

}  // namespace skim
