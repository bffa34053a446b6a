// Two synthetic question-answering tasks with known ground truth, made of invented names. Like the
// planted words they are easy to learn and need no download.
//
// Extractive questions: a passage of filler with a few facts ("The guard of Velmora is called
// Tobin.") and questions about some of them ("Who is the guard of Velmora?"), each answered by a
// span of the passage. No two facts of a passage have the same topic (guard) or place.
//
// Cloze: twenty sentences about ten persons and a question with a missing name. A cue that question
// and text share ("cheered for") precedes the name in one of the last three sentences; a decoy cue
// early in the text marks another name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace skim {

struct PlantedQuestionOptions {
  std::uint64_t seed = 1;
  // Minimum length of a passage, as counted by the tokenizer: filler sentences are added until it
  // is reached. Ignored by the cloze task.
  std::size_t words = 120;
};

struct PlantedQuestion {
  std::string question;
  std::string answer;     // occurs exactly once in the passage
  std::size_t begin = 0;  // byte offset of the answer in the passage
};

// Fixed, so that the number of a question determines its passage.
inline constexpr std::size_t kPlantedQuestionsPerPassage = 3;

struct PlantedPassage {
  std::string text;
  std::vector<PlantedQuestion> questions;  // kPlantedQuestionsPerPassage of them
};

inline constexpr std::size_t kPlantedClozeSentences = 20;
inline constexpr std::size_t kPlantedClozeChoices = 10;

struct PlantedCloze {
  std::vector<std::string> sentences;  // kPlantedClozeSentences of them
  std::string question;                // XXXXX is the missing word
  std::string answer;
  std::vector<std::string>
      choices;  // kPlantedClozeChoices names, all of which occur in the sentences
};

// Generates passage or cloze question number `index` of a seed; identical on every platform and in
// any order of calls.
PlantedPassage planted_passage(const PlantedQuestionOptions& options, std::uint64_t index);
PlantedCloze planted_cloze(const PlantedQuestionOptions& options, std::uint64_t index);

// Returns the questions `first` to `first` + `count` - 1 in SQuAD 1.1 format. Question q belongs to
// passage q / kPlantedQuestionsPerPassage: start at multiples of that to get disjoint passages.
std::string squad_json(const PlantedQuestionOptions& options, std::uint64_t first,
                       std::size_t count);
// Returns the cloze questions of this range in the format of the Children's Book Test.
std::string cbt_text(const PlantedQuestionOptions& options, std::uint64_t first, std::size_t count);

}  // namespace skim
