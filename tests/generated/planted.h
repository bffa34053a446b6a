// A synthetic classification task with known ground truth: short reviews in which a few planted
// words determine the label and all others are filler. Needs no download.
//
// The label is the sign of a sum over the planted words: positive words add, negative ones
// subtract, strong ones count twice, and a negator flips the next planted word. The sum is never
// zero.
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

// Returns the vocabulary of the task, without duplicates, in a fixed order.
std::vector<PlantedWord> planted_words();

inline constexpr std::array<std::string_view, 2> kPlantedLabels = {"negative", "positive"};

struct PlantedOptions {
  std::uint64_t seed = 1;
  std::size_t words = 60;  // per text, as counted by the tokenizer
  bool negators = true;
  // Limits the absolute sum to 1 or 2, so that every planted word can change the label and none can
  // be skimmed without loss.
  bool narrow_margin = false;
};

struct PlantedText {
  std::string text;
  int label = 0;                      // index into kPlantedLabels; 0 for a text of no words
  std::vector<std::size_t> decisive;  // sorted indices of planted words and negators
};

// Generates text number `index` of a seed; identical on every platform and in any order of calls.
PlantedText planted_text(const PlantedOptions& options, std::uint64_t index);

// Generates the texts 0 to `count` - 1.
Dataset planted_data(const PlantedOptions& options, std::size_t count);

}  // namespace skim
