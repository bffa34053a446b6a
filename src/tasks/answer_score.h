// Exact match and F1 of a text answer, as defined by the official SQuAD 1.1 evaluation script.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tasks/example.h"

namespace skim {

// Lowercases, removes ASCII punctuation and the articles a, an and the, and collapses white space.
// Invalid UTF-8 becomes U+FFFD. Python's lower() covers more letters than text/unicode.h, and the
// final sigma: results differ only where answer and gold answer spell such a letter in different
// cases.
std::string normalize_answer(std::string_view answer);

struct AnswerScore {
  double exact = 0;  // 1 when the normalized texts are equal, else 0
  double f1 = 0;     // harmonic mean of word precision and recall
};

// Returns the maximum over the gold answers, separately for each metric; 0 without gold answers.
// Two answers that normalize to nothing have `exact` 1 and `f1` 0, as in the official script.
AnswerScore score_answer(std::string_view answer, std::span<const GoldAnswer> gold);

}  // namespace skim
