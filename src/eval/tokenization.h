// Tokenization and vocabulary lookup on their own: the part of inference that skimming cannot save.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "skim/model.h"
#include "skim/query.h"
#include "text/vocab.h"

namespace skim {

// Runs what a session runs before the reader, so that it can be timed alone.
class TokenizationStep {
 public:
  explicit TokenizationStep(const Model& model) : model_(model) {}
  // Tokenizes `text`, looks up the word ids and returns the number of words.
  std::size_t run(std::string_view text);

 private:
  Model model_;
  std::vector<TokenSpan> words_;
  std::vector<WordId> ids_;
};

}  // namespace skim
