// What goes in, what comes out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/trace.h"

namespace skim {

struct Query {
  std::string text;
  std::string question;              // question-answering models only
  std::vector<std::string> choices;  // models that pick one of several answers only
};

struct Answer {
  std::string text;       // the label, the choice or the piece of the text
  int index = -1;         // which label or choice; -1 where the answer is a piece of the text
  float score = 0;        // its probability
  std::size_t begin = 0;  // where the answer is a piece of the text: bytes [begin, end) of it
  std::size_t end = 0;
};

// A word of a text or question: bytes [begin, end) of it.
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Word&) const = default;
};

struct Reading {
  Answer answer;
  // One a label or choice, in their order; they sum to 1. Where the answer is a piece of the text:
  // how likely each word is its first, then how likely each is its last.
  std::vector<float> scores;
  std::vector<Word> words;           // of the text
  std::vector<Word> question_words;  // of the question
  Trace trace;
  Costs costs;
};

}  // namespace skim
