// How well an answer in words matches the right ones, as the official script of SQuAD 1.1 counts.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tasks/example.h"

namespace skim {

// Lower case, without ASCII punctuation and the words a, an and the, one blank between words. Bytes
// that are not UTF-8 become U+FFFD. The script's lower case knows more letters than ours
// (text/unicode.h), and the sigma at a word's end: that matters only where an answer and a right
// one spell such a letter in different cases.
std::string normal_answer(std::string_view answer);

struct AnswerScore {
  double exact = 0;  // 1 when the normal forms are the same, else 0
  double f1 = 0;     // harmonic mean of precision and recall over words
};

// The best over the right answers, for each of the two by itself; 0 when there are none. Of two
// answers without a word left, `exact` is 1 and `f1` is 0: so the script does it.
AnswerScore score_answer(std::string_view answer, std::span<const GoldAnswer> gold);

}  // namespace skim
