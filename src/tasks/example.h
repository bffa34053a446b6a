// One line of a labelled data set.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/query.h"

namespace skim {

// A right answer to a question about a text.
struct GoldAnswer {
  std::string text;
  std::size_t begin = 0;  // byte of Query::text where it starts; npos: it does not stand there
};

struct Example {
  Query query;
  std::string label;     // as the file spells it
  std::size_t line = 0;  // where it stands in the file, from 1; in SQuAD's files, which question
  std::string id = {};   // SQuAD's name of the question; may be empty
  std::vector<GoldAnswer> answers = {};  // SQuAD only, at least one there; label is the first
};

struct Dataset {
  std::string name;  // the file's path, or "standard input": for messages and reports
  std::vector<Example> examples;
  // Of the whole file, whatever was selected from it since.
  std::size_t impossible = 0;  // questions without an answer in the text: left out
  std::size_t unaligned = 0;   // gold answers that do not stand in their text: begin is npos
};

}  // namespace skim
