// A generated task with a known truth: texts like short reviews in which a few planted words decide
// the label and all others are filler. It is easy to read, easy to skim, and needs no download.
//
// A text speaks for a label with the words it plants: positive ones count for it, negative ones
// against it, strong ones twice; a negator turns the next planted word around. The label is the
// sign of the sum, which is never zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/example.h"

namespace skim {

enum class PlantedRole { filler, positive, negative, negator };

struct PlantedWord {
  std::string_view text;
  PlantedRole role = PlantedRole::filler;
  int strength = 0;  // of positive and negative words: 1 mild, 2 strong
};

// Every word that texts are made of, each once, always in the same order.
std::vector<PlantedWord> planted_words();

inline constexpr std::array<std::string_view, 2> kPlantedLabels = {"negative", "positive"};

struct PlantedOptions {
  std::uint64_t seed = 1;
  std::size_t words = 60;  // of every text, punctuation counted as the tokenizer does
  bool negators = true;
  // Sums of 1 or 2 only, for or against: then every planted word decides, and none can be skimmed
  // because the others have settled the label.
  bool close = false;
};

struct PlantedText {
  std::string text;
  int label = 0;                      // index into kPlantedLabels; 0 for a text of no words
  std::vector<std::size_t> decisive;  // which words decide: planted ones and negators, rising
};

// Text number `index` of a seed; the same on every machine, whatever was asked before.
PlantedText planted_text(const PlantedOptions& options, std::uint64_t index);

// The texts numbered 0 to `count` - 1.
Dataset planted_data(const PlantedOptions& options, std::size_t count);

}  // namespace skim
