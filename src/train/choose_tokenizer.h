// Chooses the tokenizer of a model by its training texts (--tokenizer auto).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "skim/spec.h"
#include "tasks/example.h"

namespace skim::train {

// What a sample of texts says about their language.
struct LanguageSample {
  std::size_t words = 0, english_words = 0;  // the latter are frequent words of English alone
  std::size_t letters = 0, non_ascii_letters = 0, unspaced_letters = 0;

  void add(std::string_view text);
};

struct TokenizerChoice {
  TokenizerKind kind = TokenizerKind::english;
  std::string reason;  // "34 % of the words are common English words"
};

// english for English texts, raw or in Penn Treebank style, unicode for all others.
TokenizerChoice choose_tokenizer(const LanguageSample& sample);

// Samples texts and questions: the first 2,000 bytes of 1,000 examples, evenly spread.
TokenizerChoice choose_tokenizer(const std::vector<Example>& examples);

}  // namespace skim::train
