// Labelled text made ready to train on: words with ids, labels with numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "skim/result.h"
#include "skim/spec.h"
#include "tasks/example.h"
#include "text/vectors.h"

namespace skim::train {

// Spellings of words (normal_form.h), for nets that look at letters.
struct Spellings {
  std::vector<std::string> letters;  // as spec/letters.h gives them
  std::vector<std::int32_t> ids;     // the word each is
};

struct Item {
  // A piece of the text, from its first word to its last.
  struct Answer {
    std::int64_t first = 0, last = 0;
  };

  // At least one: an empty text is one unknown word. The question's words follow where a net reads
  // both in one go.
  std::vector<std::int32_t> words;
  std::int64_t asked = 0;     // how many of them are the question's, which come last
  std::int64_t label = 0;     // of a label or choice, or the first word of the first answer
  bool labelled = true;       // else a teacher alone says what is right
  std::size_t example = 0;    // which one of the data set it was made of
  std::vector<float> taught;  // what a teacher holds (Opinions); empty without one
  std::vector<std::int32_t> question;  // where a net attends to it; at least one word
  std::vector<std::vector<std::int32_t>> choices;
  std::vector<Answer> answers;  // where they are pieces of the text
  // Where letters are looked at: which spelling each word of text and question has.
  std::shared_ptr<const Spellings> spellings;
  std::vector<std::int32_t> text_spelled, question_spelled;
};

struct Vocabulary {
  std::vector<std::string> words;  // words[0] stands for unknown ones
  std::int64_t width = 0;
  std::vector<float> vectors;  // words.size() x width
  std::vector<char> known;     // whether the vector came from the file
  std::size_t frequent = 0;    // how many, from the first on, occur often enough to be tuned
};

struct VocabularyOptions {
  std::size_t most = 60'000;
  std::size_t fewest = 2;      // a word without a vector must occur so often
  std::size_t tuned_from = 1;  // a word must occur so often for its vector to be tuned
  std::int64_t width = 100;    // when there is no file of vectors
  std::uint64_t seed = 1;
};

// The words of `data`, most frequent first, and then those of the vectors' file up to the limit:
// texts read later hold words that these did not. Words without a vector get small random values.
Vocabulary make_vocabulary(const Dataset& data, Tokenizer tokenizer, const WordVectors* vectors,
                           const VocabularyOptions& options);

struct Items {
  std::vector<Item> items;
  std::size_t without_answer = 0;  // left out, because no answer lies in what is read of the text
};

// Whether the data holds what the net is to learn.
Result<void> check_kind(const Dataset& data, NetKind net);

// `most_words` of each text, from its beginning; where the question is read after it, to its end.
Result<Items> encode_items(const Dataset& data, const Vocabulary& vocabulary, const ModelSpec& spec,
                           std::size_t most_words);

// Takes a share of `data` out of it, evenly spread over it, for want of a dev file. Questions about
// one text stay together.
Dataset split_off(Dataset& data, double share, std::uint64_t seed);

}  // namespace skim::train
