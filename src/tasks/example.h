// Labelled examples and data sets.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "skim/query.h"

namespace skim {

// A reference answer to a question about a text.
struct GoldAnswer {
  std::string text;
  std::size_t begin = 0;  // byte offset in Query::text; npos when it does not occur there
};

// The probability of a label; without its name in a list in the order of the labels.
struct SoftLabel {
  std::string label;
  float probability = 0;
};

struct Example {
  Query query;
  std::string label;                     // as the file spells it
  std::size_t line = 0;                  // line in the file, from 1; question number in SQuAD files
  std::string id = {};                   // question id of SQuAD; may be empty
  std::vector<GoldAnswer> answers = {};  // SQuAD only, at least one; `label` is the first
  std::vector<std::string> labels = {};  // LabelKind::multiple only, distinct
  double value = 0;                      // LabelKind::number only
  float weight = 1;                      // of the loss in training
  // Of a teacher; `probabilities` are those of all labels (soft_labels.h).
  std::vector<SoftLabel> soft_labels = {};
  std::vector<float> probabilities = {};
  bool labelled = true;  // else there are soft labels alone
};

struct Dataset {
  std::string name;  // path or "standard input", for messages and reports
  std::vector<Example> examples;
  // Counts over the whole file, also after subsampling.
  std::size_t impossible = 0;  // questions without an answer in the text, which are skipped
  std::size_t unaligned = 0;   // gold answers that do not occur in their text
};

}  // namespace skim
