// The part of reading that skimming cannot save: finding the words and their ids.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "skim/model.h"
#include "skim/query.h"
#include "text/vocab.h"

namespace skim {

// Does what a session does before it reads, so that it can be timed alone.
class Tokenizing {
 public:
  explicit Tokenizing(const Model& model) : model_(model) {}
  // How many words there are.
  std::size_t find_words(std::string_view text);

 private:
  Model model_;
  std::vector<Word> words_;
  std::vector<WordId> ids_;
};

}  // namespace skim
