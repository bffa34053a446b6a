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
  std::string text;  // the label, choice or passage span
  int index = -1;    // which label or choice; -1 where there is none
  float score = 0;   // its probability
};

// A word of the text: bytes [begin, end) of Query::text.
struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Word&) const = default;
};

struct Reading {
  Answer answer;
  std::vector<float> scores;  // one a label, in the order of ModelSpec::labels; they sum to 1
  std::vector<Word> words;
  Trace trace;
  Costs costs;
};

}  // namespace skim
